// Where the ranks of a native job run: hosts, and the cores that the launcher left to each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace simtrain {

inline constexpr int kMostCores = 1024;  // of a host

// Of one rank. Plain bytes, so that MPI can gather it.
struct RankPlace {
  std::array<char, 64> host{};                         // ends in 0
  std::array<std::uint64_t, kMostCores / 64> cores{};  // bit c: it may run on core c
  std::int32_t host_cores = 0;                         // of its host; hardware threads of a core count once
};

// Of the rank that calls, by sched_getaffinity. Natively only.
RankPlace own_place();

int count_hosts(std::span<const RankPlace> ranks);

// "4 ranks bound to a core each", "2 of 3 ranks bound to 4 cores each", ", sharing cores" where ranks do that; "not
// bound" where every rank may run on every core of its host.
std::string describe_binding(std::span<const RankPlace> ranks);

}  // namespace simtrain
