// Executes halo exchanges over MPI. Compiled once against Open MPI and once against SMPI.
#pragma once

#include <mpi.h>

#include <vector>

#include "kernels/kernels.hpp"
#include "train/collective.hpp"
#include "train/halo.hpp"
#include "train/rank_trace.hpp"

namespace simtrain {

// Of one rank on MPI_COMM_WORLD, one exchange at a time. Every rank calls begin and then end with the same arguments
// but the buffers: `source` and `target` as the halo's sides say, `scratch` with scratch_floats(halo, rank) floats.
// Until end returns, nobody may write the source or the scratch, and of the target only the kept lines may be read.
class HaloExchange {
 public:
  explicit HaloExchange(int rank, std::int64_t largest_message_bytes = kLargestMessageBytes);

  // Its messages are noted there from now on.
  void watch(RankTrace* trace) { trace_ = trace; }

  // Packs and starts all messages, then copies the lines that stay. Copies are enqueued on `kernels` under `account`
  // and waited for, here and in end.
  CollectiveTraffic begin(const Halo& halo, Buffer source, Buffer target, Buffer scratch, Kernels& kernels,
                          Account account);
  // Waits for the messages, then unpacks what arrived or adds it.
  void end(const Halo& halo, Buffer target, Buffer scratch, Kernels& kernels, Account account);

 private:
  void note_messages(const Halo& halo) const;

  int rank_;
  std::int64_t longest_message_floats_;
  std::vector<MPI_Request> requests_;  // of the exchange that runs
  RankTrace* trace_ = nullptr;
  double begin_s_ = 0;  // of its messages, for the trace
};

}  // namespace simtrain
