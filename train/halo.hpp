// Halo exchanges of domain parallelism: images are cut into strips (train/strips.hpp), and the windows of a convolution
// or pooling see lines of the neighbours' strips, or of further ones where strips are thin. Before the layer a rank
// gets the lines that it lacks; what it reads is the extended array, with its own lines in it. After the layer's
// backward pass it has the gradient of the extended array, sends the lines that are not its own back, and adds what it
// gets to its own.
//
// A schedule of point-to-point messages: that of a Redistribution from the strips to the lines that are seen, on one
// grid, forward; the same messages the other way round with the gradient. They are all in flight at once, so that there
// is computing between begin and end. Executed over MPI by train/halo_exchange.hpp.
#pragma once

#include <functional>
#include <utility>

#include "train/redistribution.hpp"

namespace simtrain {

struct Halo {
  Redistribution array;   // from: own lines; to: the extended array
  bool gradient = false;  // the other way round, to be added

  [[nodiscard]] const Redistribution::Side& source() const { return gradient ? array.to : array.from; }
  [[nodiscard]] const Redistribution::Side& target() const { return gradient ? array.from : array.to; }
};

// What one rank sends and receives with one message each way. -1: nobody. A block of a message travels packed: it goes
// through scratch, at the offsets in floats, where it is not contiguous in its array, and where it is to be added.
struct HaloLeg {
  int send_to = -1, receive_from = -1;
  StoredBlock send, receive;  // in the source's and the target's array
  std::int64_t send_scratch = kInPlace, receive_scratch = kInPlace;
  static constexpr std::int64_t kInPlace = -1;
};

// Calls visit(leg) for each leg of a rank, in the order in which arrivals are unpacked or added. Returns the floats of
// scratch that they need together. No allocation.
template <typename Visit>
std::int64_t for_each_leg(const Halo& halo, int rank, const Visit& visit) {
  const Redistribution& array = halo.array;
  std::int64_t scratch = 0;
  const auto place = [&](const StoredBlock& block, bool through_scratch) {
    if (!through_scratch) return HaloLeg::kInPlace;
    scratch += block.floats();
    return scratch - block.floats();
  };
  for (int round = next_round(array, rank, 0); round < array.ranks(); round = next_round(array, rank, round)) {
    Transfer transfer = transfer_of(array, rank, round);
    if (halo.gradient) {
      std::swap(transfer.send_to, transfer.receive_from);
      std::swap(transfer.send, transfer.receive);
    }
    HaloLeg leg{.send_to = transfer.send_to, .receive_from = transfer.receive_from, .send = {}, .receive = {}};
    if (leg.send_to >= 0) {
      leg.send = stored_block(array, halo.source(), rank, transfer.send);
      leg.send_scratch = place(leg.send, !leg.send.contiguous());
    }
    if (leg.receive_from >= 0) {
      leg.receive = stored_block(array, halo.target(), rank, transfer.receive);
      leg.receive_scratch = place(leg.receive, halo.gradient || !leg.receive.contiguous());
    }
    visit(leg);
  }
  return scratch;
}

// What a rank does with the lines that stay: they are copied from the source to the target. Forward the others of the
// target arrive; of a gradient they are cleared before, where the copy leaves any out.
struct HaloCopy {
  StoredBlock from, to;  // empty: nothing is kept
  std::int64_t cleared = 0;
};
HaloCopy kept_of(const Halo& halo, int rank);

std::int64_t scratch_floats(const Halo& halo, int rank);

// Calls visit(operation) for everything that a rank computes for it: packing, keeping, unpacking or adding.
void for_each_operation(const Halo& halo, int rank, const std::function<void(const Operation&)>& visit);

// Whether no rank sees a line that is not its own, or has one that it does not see: no exchange, no extended array.
bool trivial(const Strips& image, const Strips& seen);

}  // namespace simtrain
