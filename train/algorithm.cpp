// Names of the algorithms, and the rule behind `auto`.
#include <array>
#include <bit>
#include <string>

#include "base/error.hpp"
#include "train/schedule.hpp"

namespace simtrain {

namespace {

struct Named {
  Algorithm algorithm;
  std::string_view name;
};
constexpr std::array<Named, 6> kAlgorithms{{{Algorithm::ring, "ring"},
                                            {Algorithm::recursive_doubling, "recursive-doubling"},
                                            {Algorithm::rabenseifner, "rabenseifner"},
                                            {Algorithm::bruck, "bruck"},
                                            {Algorithm::mpi, "mpi"},
                                            {Algorithm::automatic, "auto"}}};

// The rule of `auto`. An all-reduce of at most 2 KiB uses recursive doubling, a longer one Rabenseifner's algorithm
// where the group is a power of two. Every other collective uses the ring when a block (the array's bytes divided by
// the group size) has at least 64 KiB, since then latency hardly counts and only neighbours talk; with shorter blocks
// recursive doubling (reduce-scatter: halving) for powers of two and Bruck's algorithm for other sizes move the same
// bytes in ceil(log p) rounds.
//
// In the manner of MPICH (Thakur, Rabenseifner, Gropp 2005, sections 4.1 to 4.4), whose 2 KiB we keep. Its switch to
// the ring at 512 KiB in all is taken per block, which is the same at eight processes: at thousands a fixed total would
// choose thousands of rounds of a few hundred bytes.
constexpr std::int64_t kShortAllReduceBytes = 2048;
constexpr std::int64_t kRingBlockBytes = 65536;

}  // namespace

std::string_view name_of(CollectiveOp operation) {
  switch (operation) {
    case CollectiveOp::all_gather:
      return "all-gather";
    case CollectiveOp::reduce_scatter:
      return "reduce-scatter";
    case CollectiveOp::all_reduce:
      return "all-reduce";
  }
  SIMTRAIN_INVARIANT(false, "no such operation");
}

std::string_view name_of(Algorithm algorithm) {
  for (const Named& known : kAlgorithms) {
    if (known.algorithm == algorithm) return known.name;
  }
  SIMTRAIN_INVARIANT(false, "no such algorithm");
}

Algorithm parse_algorithm(std::string_view option, std::string_view text) {
  std::vector<std::string> names;
  for (const Named& known : kAlgorithms) {
    if (known.name == text) return known.algorithm;
    names.emplace_back(known.name);
  }
  throw InputError(unknown_choice(option, text, names));
}

Algorithm resolve(Algorithm algorithm, CollectiveOp operation, int group_size, std::int64_t bytes) {
  if (algorithm != Algorithm::automatic) return algorithm;
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(group_size));
  if (operation == CollectiveOp::all_reduce) {
    if (bytes <= kShortAllReduceBytes) return Algorithm::recursive_doubling;
    if (power_of_two) return Algorithm::rabenseifner;
  }
  if (bytes / group_size >= kRingBlockBytes) return Algorithm::ring;
  return power_of_two ? Algorithm::recursive_doubling : Algorithm::bruck;
}

}  // namespace simtrain
