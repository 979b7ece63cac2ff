#include "sim/placement/placement.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "base/units.hpp"
#include "sim/placement/blocks.hpp"
#include "sim/placement/hostfile.hpp"

namespace simtrain {

namespace {

using Kind = Placement::Kind;

constexpr std::array<std::pair<const char*, Kind>, 7> kWords{{{"column-major", Kind::column_major},
                                                              {"row-major", Kind::row_major},
                                                              {"blocks", Kind::blocks},
                                                              {"row-blocks", Kind::row_blocks},
                                                              {"snake", Kind::snake},
                                                              {"random", Kind::random},
                                                              {"auto", Kind::automatic}}};

constexpr std::string_view kHostfile = "hostfile ";  // before the path, in names of placements

std::vector<int> without_left_out(std::vector<int> hosts, const HostSpace& space) {
  if (!space.left_out.empty())
    std::erase_if(hosts, [&](int host) { return space.left_out[static_cast<std::size_t>(host)] != 0; });
  return hosts;
}

std::vector<int> all_hosts(const HostSpace& space) {
  std::vector<int> hosts(space.names.size());
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

// Fisher and Yates, with bits of our own generator: the same on every machine.
std::vector<int> shuffled(std::vector<int> hosts, std::uint64_t seed) {
  constexpr std::uint64_t kStream = 0x706c6163656d656e;  // apart from other uses of the seed
  for (std::size_t i = hosts.size(); i > 1; --i) std::swap(hosts[i - 1], hosts[random_bits(seed, kStream, i) % i]);
  return hosts;
}

std::vector<int> order_of(const Placement& placement, const HostSpace& space) {
  if (placement.kind == Kind::random) return shuffled(all_hosts(space), placement.seed);
  if (placement.kind != Kind::snake) return all_hosts(space);
  if (space.torus.empty())
    throw NotPlaceable("snake", "platform '" + space.platform + "' is no torus", "column-major, blocks or another one");
  return snake_through(space.torus);
}

// The host of each slot, in the order in which ranks take them.
std::vector<int> slots_in_order(const Placement& placement, int ranks_per_host, const HostSpace& space) {
  if (placement.kind == Kind::file)
    return without_left_out(slots_of(read_hostfile(placement.file), space.platform, space.names, ranks_per_host),
                            space);
  std::vector<int> slots;
  for (const int host : without_left_out(order_of(placement, space), space))
    slots.insert(slots.end(), static_cast<std::size_t>(ranks_per_host), host);
  return slots;
}

void check_slots(const Placement& placement, std::size_t slots, std::int64_t ranks, int ranks_per_host,
                 const HostSpace& space) {
  if (std::cmp_greater_equal(slots, ranks)) return;
  const std::string processes = std::to_string(ranks) + " processes";
  if (placement.kind == Kind::file)
    throw InputError("hostfile '" + placement.file + "': has " + std::to_string(slots) + " slots on hosts that may " +
                     "be used; expected at least " + std::to_string(ranks) + ", one for each process");
  const auto hosts = static_cast<std::int64_t>(slots) / ranks_per_host;
  throw InputError("platform '" + space.platform + "' has " + std::to_string(hosts) +
                   (space.left_out.empty() ? " hosts; " : " hosts that may be used; ") + processes + " do not fit, " +
                   std::to_string(ranks_per_host) + " on each; expected a smaller grid or more --ranks-per-host");
}

// Groups are grid columns, or grid rows; each has `members` ranks. A host holds ranks of several groups only if it has
// room for all ranks of each.
std::vector<int> place_in_blocks(bool by_rows, Grid grid, int ranks_per_host, const HostSpace& space) {
  const int groups = by_rows ? grid.rows : grid.columns, members = by_rows ? grid.columns : grid.rows;
  const int groups_per_block = std::max(1, ranks_per_host / members);
  const int ranks = std::min(groups_per_block, groups) * members;  // of a block
  const int hosts = (ranks + ranks_per_host - 1) / ranks_per_host;
  const int count = (groups + groups_per_block - 1) / groups_per_block;
  const std::vector<std::vector<int>> blocks = find_blocks(space, hosts, count);
  if (blocks.empty())
    throw NotPlaceable(by_rows ? "row-blocks" : "blocks",
                       "platform '" + space.platform + "' has no " + std::to_string(count) + " blocks of " +
                           std::to_string(hosts) + " hosts for the " + std::to_string(groups) +
                           (by_rows ? " rows" : " columns") + " of grid " + to_string(grid),
                       "another grid, or column-major");
  std::vector<int> host_of_rank(static_cast<std::size_t>(grid.size()));
  for (int group = 0; group < groups; ++group)
    for (int member = 0; member < members; ++member) {
      const int in_block = group % groups_per_block * members + member;
      const Coordinates at = by_rows ? Coordinates{group, member} : Coordinates{member, group};
      host_of_rank[static_cast<std::size_t>(grid.rank(at))] =
          blocks[static_cast<std::size_t>(group / groups_per_block)]
                [static_cast<std::size_t>(in_block / ranks_per_host)];
    }
  return host_of_rank;
}

}  // namespace

std::vector<Placement> deterministic_placements() {
  return {{Kind::column_major, 1, {}},
          {Kind::row_major, 1, {}},
          {Kind::blocks, 1, {}},
          {Kind::row_blocks, 1, {}},
          {Kind::snake, 1, {}}};
}

Placement parse_placement(std::string_view option, const std::string& text) {
  std::vector<std::string> names;
  for (const auto& [word, kind] : kWords) {
    if (text == word) return {kind, 1, {}};
    names.emplace_back(word);
  }
  constexpr std::string_view kRandom = "random:";
  if (text.starts_with(kRandom)) {
    const std::string what = std::string(option) + ": seed of " + text;
    const std::int64_t seed = parse_integer(what, text.substr(kRandom.size()), 0, INT64_MAX);
    return {Kind::random, static_cast<std::uint64_t>(seed), {}};
  }
  std::error_code none;
  if (text.find('/') == std::string::npos && !std::filesystem::exists(text, none)) {
    names.emplace_back("random:SEED");
    throw InputError(unknown_choice(option, text, names) + ", or the path of a hostfile");
  }
  (void)read_hostfile(text);  // says now what is wrong with it
  return {Kind::file, 1, text};
}

Placement parse_placement_name(const std::string& name) {
  return parse_placement("placement", name.starts_with(kHostfile) ? name.substr(kHostfile.size()) : name);
}

std::string name_of(const Placement& placement) {
  if (placement.kind == Kind::random) return "random:" + std::to_string(placement.seed);
  if (placement.kind == Kind::file) return std::string(kHostfile) + placement.file;
  const auto found =
      std::find_if(kWords.begin(), kWords.end(), [&](const auto& w) { return w.second == placement.kind; });
  return found->first;
}

bool needs_nearness(const Placement& placement) {
  return placement.kind == Kind::blocks || placement.kind == Kind::row_blocks || placement.kind == Kind::snake;
}

std::int64_t slot_count(const Placement& placement, int ranks_per_host, const HostSpace& space) {
  if (placement.kind == Kind::file)
    return static_cast<std::int64_t>(slots_in_order(placement, ranks_per_host, space).size());
  return static_cast<std::int64_t>(without_left_out(all_hosts(space), space).size()) * ranks_per_host;
}

std::vector<int> place(const Placement& placement, Grid grid, int ranks_per_host, const HostSpace& space) {
  SIMTRAIN_INVARIANT(placement.kind != Kind::automatic && ranks_per_host >= 1, std::to_string(ranks_per_host));
  const std::vector<int> slots = slots_in_order(placement, ranks_per_host, space);
  check_slots(placement, slots.size(), grid.size(), ranks_per_host, space);
  if (placement.kind == Kind::blocks || placement.kind == Kind::row_blocks)
    return place_in_blocks(placement.kind == Kind::row_blocks, grid, ranks_per_host, space);
  if (placement.kind != Kind::row_major)
    return {slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(grid.size())};
  std::vector<int> host_of_rank;
  for (int rank = 0; std::cmp_less(rank, grid.size()); ++rank) {
    const Coordinates at = grid.coordinates(rank);
    host_of_rank.push_back(slots[static_cast<std::size_t>(at.row) * static_cast<std::size_t>(grid.columns) +
                                 static_cast<std::size_t>(at.column)]);
  }
  return host_of_rank;
}

}  // namespace simtrain
