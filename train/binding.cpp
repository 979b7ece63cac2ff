#include "train/binding.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "report/page.hpp"

namespace simtrain {

namespace {

// The first hardware thread of a CPU's core stands for the core; none for a CPU that is off or unknown to the system.
std::optional<int> core_of(int cpu) {
  std::ifstream siblings("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  int first = 0;
  if (siblings >> first) return first;
  return std::nullopt;
}

int count_cores(const RankPlace& rank) {
  int count = 0;
  for (const std::uint64_t bits : rank.cores) count += std::popcount(bits);
  return count;
}

bool bound(const RankPlace& rank) { return count_cores(rank) < rank.host_cores; }

void allow(RankPlace& rank, int core) {
  if (core < kMostCores) rank.cores[static_cast<std::size_t>(core / 64)] |= std::uint64_t{1} << (core % 64);
}

// Whether two bound ranks of a host may run on the same core.
bool cores_shared(std::span<const RankPlace> ranks) {
  std::map<std::string, std::array<std::uint64_t, kMostCores / 64>> taken;
  for (const RankPlace& rank : ranks) {
    if (!bound(rank)) continue;
    auto& of_host = taken[rank.host.data()];
    for (std::size_t i = 0; i < of_host.size(); ++i) {
      if ((of_host[i] & rank.cores[i]) != 0) return true;
      of_host[i] |= rank.cores[i];
    }
  }
  return false;
}

}  // namespace

RankPlace own_place() {
  RankPlace place;
  ::gethostname(place.host.data(), place.host.size() - 1);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  std::set<int> cores;
  const long cpus = std::clamp<long>(::sysconf(_SC_NPROCESSORS_CONF), 1, CPU_SETSIZE);
  for (int cpu = 0; cpu < cpus; ++cpu) {
    const bool may_run = !known || CPU_ISSET(cpu, &allowed) != 0;
    std::optional<int> core = core_of(cpu);
    if (!core && !may_run) continue;
    cores.insert(core.value_or(cpu));
    if (may_run) allow(place, core.value_or(cpu));
  }
  place.host_cores = static_cast<int>(cores.size());
  return place;
}

int count_hosts(std::span<const RankPlace> ranks) {
  std::set<std::string> hosts;
  for (const RankPlace& rank : ranks) hosts.emplace(rank.host.data());
  return static_cast<int>(hosts.size());
}

std::string describe_binding(std::span<const RankPlace> ranks) {
  int least = kMostCores, most = 0, how_many = 0;
  for (const RankPlace& rank : ranks) {
    if (!bound(rank)) continue;
    ++how_many;
    least = std::min(least, count_cores(rank));
    most = std::max(most, count_cores(rank));
  }
  if (how_many == 0) return "not bound";
  const auto all = static_cast<std::int64_t>(ranks.size());
  std::string text = (how_many == all ? "" : std::to_string(how_many) + " of ") + counted(all, "rank") + " bound to ";
  if (least != most) text += std::to_string(least) + " to ";
  text += most == 1 ? "a core" : std::to_string(most) + " cores";
  if (how_many > 1) text += " each";
  return text + (cores_shared(ranks) ? ", sharing cores" : "");
}

}  // namespace simtrain
