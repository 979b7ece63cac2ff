#include "sim/sweep/share.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <queue>
#include <regex>

#include "base/error.hpp"
#include "base/units.hpp"

namespace simtrain {

namespace {

constexpr std::int64_t kMostShares = 1 << 20;

// A number that the environment holds, if it does.
std::optional<std::int64_t> number(const Environment& environment, const char* name, std::int64_t least) {
  const char* text = environment(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return parse_integer(std::string("environment variable ") + name, text, least, INT32_MAX);
}

std::optional<Share> ranks(const Environment& environment, const char* index, const char* count) {
  const auto mine = number(environment, index, 0), all = number(environment, count, 1);
  if (!mine || !all) return std::nullopt;
  return Share{*mine, *all};
}

std::optional<Share> array_member(const Environment& environment) {
  const auto id = number(environment, "SLURM_ARRAY_TASK_ID", 0),
             count = number(environment, "SLURM_ARRAY_TASK_COUNT", 1);
  if (!id || !count) return std::nullopt;
  const std::int64_t first = number(environment, "SLURM_ARRAY_TASK_MIN", 0).value_or(0);
  const std::int64_t step = number(environment, "SLURM_ARRAY_TASK_STEP", 1).value_or(1);
  return Share{(*id - first) / step, *count};
}

Share from_launcher(const Environment& environment) {
  std::optional<Share> process = ranks(environment, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  if (!process) process = ranks(environment, "PMI_RANK", "PMI_SIZE");
  if (!process) process = ranks(environment, "SLURM_PROCID", "SLURM_NTASKS");
  const std::optional<Share> member = array_member(environment);
  if (!process && !member)
    throw InputError(
        "--share: 'auto' finds neither mpirun nor Slurm in the environment; expected to be started by one of them, or "
        "--share I/N");
  const Share inner = process.value_or(Share{}), outer = member.value_or(Share{});
  return {outer.index * inner.count + inner.index, outer.count * inner.count};
}

}  // namespace

Share parse_share(const std::string& text, const Environment& environment) {
  Share share;
  if (text == "auto") {
    share = from_launcher(environment);
  } else {
    const std::size_t by = text.find('/');
    if (by == std::string::npos)
      throw InputError("--share: '" + text +
                       "' is not valid; expected I/N, such as 0/4 for the first of four, or auto");
    share.count = parse_integer("--share", text.substr(by + 1), 1, kMostShares);
    share.index = parse_integer("--share", text.substr(0, by), 0, INT32_MAX);
  }
  if (share.count > kMostShares || share.index < 0 || share.index >= share.count)
    throw InputError("--share: '" + std::to_string(share.index) + "/" + std::to_string(share.count) +
                     "' is not valid; shares are counted from 0: expected " +
                     (share.count > kMostShares
                          ? "at most " + std::to_string(kMostShares) + " of them"
                          : "0/" + std::to_string(share.count) + " to " + std::to_string(share.count - 1) + "/" +
                                std::to_string(share.count)));
  return share;
}

std::vector<std::size_t> points_of(const Share& share, const std::vector<double>& costs) {
  std::vector<std::size_t> by_cost(costs.size());
  std::iota(by_cost.begin(), by_cost.end(), std::size_t{0});
  if (share.whole()) return by_cost;
  std::stable_sort(by_cost.begin(), by_cost.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  using Load = std::pair<double, std::int64_t>;  // of a share so far
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::int64_t i = 0; i < share.count; ++i) loads.push({0, i});
  std::vector<std::size_t> mine;
  for (const std::size_t point : by_cost) {
    const auto [load, taker] = loads.top();
    loads.pop();
    loads.push({load + costs[point], taker});
    if (taker == share.index) mine.push_back(point);
  }
  std::sort(mine.begin(), mine.end());
  return mine;
}

std::string file_of(const Share& share, const std::string& path) {
  if (share.whole()) return path;
  const std::filesystem::path whole(path);
  std::filesystem::path name = whole.stem();
  name += "." + std::to_string(share.index) + "-of-" + std::to_string(share.count);
  name += whole.extension();
  return (whole.parent_path() / name).string();
}

std::optional<Share> share_of_file(const std::string& path) {
  static const std::regex pattern(R"(.*\.(\d{1,7})-of-(\d{1,7})(\.[^./]*)?)");
  std::smatch found;
  const std::string name = std::filesystem::path(path).filename().string();
  if (!std::regex_match(name, found, pattern)) return std::nullopt;
  return Share{std::stoll(found[1]), std::stoll(found[2])};
}

}  // namespace simtrain
