#include <mpi.h>

#include <string>

#include "base/error.hpp"
#include "train/collective.hpp"
#include "train/message_tag.hpp"
#include "train/pieces.hpp"
#include "train/rank_trace.hpp"

namespace simtrain {

namespace {

// One side of one round: where its floats are as a message, and where they are as a block if that is not the same.
struct Leg {
  int peer = MPI_PROC_NULL;
  Buffer message;      // contiguous
  Buffer block;        // from its first float on
  StoredBlock stored;  // of the block
};

// In a buffer's place where that is contiguous, else at the begin of `scratch`, of which the rest comes back in it.
Leg leg_of(int peer, Buffer buffer, const StoredBlock& stored, Buffer& scratch) {
  if (peer < 0) return {.peer = MPI_PROC_NULL, .message = buffer.slice(0, 0), .block = {}, .stored = {}};
  const std::int64_t floats = stored.floats();
  Leg leg{peer, {}, buffer.slice(stored.offset, buffer.count - stored.offset), stored};
  if (stored.contiguous()) {
    leg.message = leg.block.slice(0, floats);
  } else {
    SIMTRAIN_INVARIANT(floats <= scratch.count, "scratch of " + std::to_string(scratch.count) + " floats");
    leg.message = scratch.slice(0, floats);
    scratch = scratch.slice(floats, scratch.count - floats);
  }
  return leg;
}

// Both messages at once; long ones in pieces, of which one each way at a time.
void exchange(const Leg& out, const Leg& in, std::int64_t longest, CollectiveTraffic& traffic) {
  const auto piece = [&](const Leg& leg, std::int64_t begin) {
    const std::int64_t first = std::min(begin, leg.message.count);
    return leg.message.slice(first, std::min(longest, leg.message.count - first));
  };
  for (std::int64_t begin = 0; begin < std::max(out.message.count, in.message.count); begin += longest) {
    const Buffer sent = piece(out, begin), received = piece(in, begin);
    MPI_Sendrecv(sent.data, static_cast<int>(sent.count), MPI_FLOAT, sent.count > 0 ? out.peer : MPI_PROC_NULL, kTag,
                 received.data, static_cast<int>(received.count), MPI_FLOAT,
                 received.count > 0 ? in.peer : MPI_PROC_NULL, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    traffic.messages += sent.count > 0 ? 1 : 0;
    traffic.bytes_sent += sent.count * static_cast<std::int64_t>(sizeof(float));
  }
}

void note(RankTrace* trace, const Leg& leg, bool sent, std::int64_t longest, double begin_s) {
  if (trace == nullptr || leg.peer < 0) return;
  trace->exchanged({.begin_s = begin_s,
                    .end_s = trace->now_s(),
                    .peer = leg.peer,
                    .sent = sent,
                    .bytes = leg.message.count * static_cast<std::int64_t>(sizeof(float)),
                    .messages = (leg.message.count + longest - 1) / longest});
}

}  // namespace

CollectiveTraffic Collectives::redistribute(const Redistribution& array, Buffer from, Buffer to, Buffer scratch,
                                            Kernels& kernels, Account packing_account) {
  const auto copy = [&](Buffer source, Buffer target, const CopyBlock& block) {
    kernels.wait(kernels.enqueue(block, {source, target}, packing_account));
  };
  if (const ArrayBlock kept = kept_block(array, rank_); !kept.empty()) {
    const StoredBlock here = stored_block(array, array.from, rank_, kept);
    const StoredBlock there = stored_block(array, array.to, rank_, kept);
    copy(from.slice(here.offset, from.count - here.offset), to.slice(there.offset, to.count - there.offset),
         copy_between(here, there));
  }
  CollectiveTraffic traffic;
  for (int round = next_round(array, rank_, 0); round < array.ranks(); round = next_round(array, rank_, round)) {
    const Transfer transfer = transfer_of(array, rank_, round);
    Buffer unused = scratch;
    const Leg out = leg_of(transfer.send_to, from, stored_block(array, array.from, rank_, transfer.send), unused);
    const Leg in = leg_of(transfer.receive_from, to, stored_block(array, array.to, rank_, transfer.receive), unused);
    if (!out.stored.contiguous()) copy(out.block, out.message, copy_between(out.stored, packed(out.stored)));
    const double begin_s = trace_ != nullptr ? trace_->now_s() : 0;
    exchange(out, in, longest_message_floats_, traffic);
    note(trace_, out, true, longest_message_floats_, begin_s);
    note(trace_, in, false, longest_message_floats_, begin_s);
    if (!in.stored.contiguous()) copy(in.message, in.block, copy_between(packed(in.stored), in.stored));
  }
  return traffic;
}

}  // namespace simtrain
