// Is the binding of ranks to cores told in the right words?
#include "train/binding.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace simtrain {
namespace {

RankPlace place(const std::string& host, const std::vector<int>& cores, int host_cores = 8) {
  RankPlace rank;
  host.copy(rank.host.data(), rank.host.size() - 1);
  for (const int core : cores) rank.cores[static_cast<std::size_t>(core / 64)] |= std::uint64_t{1} << (core % 64);
  rank.host_cores = host_cores;
  return rank;
}

TEST(Binding, IsSummarised) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
  struct Case {
    std::vector<RankPlace> ranks;
    std::string expected;
  };
  const std::vector<Case> cases{
      {{place("a", all), place("a", all)}, "not bound"},
      {{place("a", {0}, 1)}, "not bound"},  // all there is
      {{place("a", {5})}, "1 rank bound to a core"},
      {{place("a", {0}), place("a", {1})}, "2 ranks bound to a core each"},
      {{place("a", {0}), place("b", {0})}, "2 ranks bound to a core each"},  // of different hosts
      {{place("a", {0}), place("a", {0})}, "2 ranks bound to a core each, sharing cores"},
      {{place("a", {0, 1, 2, 3}), place("a", {4, 5, 6, 7})}, "2 ranks bound to 4 cores each"},
      {{place("a", {0, 1, 2, 3}), place("a", {3})}, "2 ranks bound to 1 to 4 cores each, sharing cores"},
      {{place("a", all), place("a", {0}), place("a", {1})}, "2 of 3 ranks bound to a core each"},
      {{place("a", {70}, 96), place("a", {71}, 96)}, "2 ranks bound to a core each"}};
  for (const Case& one : cases) EXPECT_EQ(describe_binding(one.ranks), one.expected);
}

TEST(Binding, CountsHosts) {
  EXPECT_EQ(count_hosts(std::vector<RankPlace>{place("a", {0}), place("b", {0}), place("a", {1})}), 2);
}

TEST(Binding, OfThisProcessIsWithinTheMachine) {
  const RankPlace here = own_place();
  EXPECT_STRNE(here.host.data(), "");
  EXPECT_GE(here.host_cores, 1);
  int allowed = 0;
  for (int core = 0; core < kMostCores; ++core)
    allowed += (here.cores[static_cast<std::size_t>(core / 64)] >> (core % 64) & 1) != 0 ? 1 : 0;
  EXPECT_GE(allowed, 1);
  EXPECT_LE(allowed, here.host_cores);
}

}  // namespace
}  // namespace simtrain
