#include "train/halo_exchange.hpp"

#include "base/error.hpp"
#include "train/message_tag.hpp"
#include "train/pieces.hpp"

namespace simtrain {

namespace {

// Of a block: in its array from its first float on, and as a message.
Buffer from_offset(Buffer array, const StoredBlock& block) {
  return array.slice(block.offset, array.count - block.offset);
}
Buffer message_of(Buffer array, const StoredBlock& block, Buffer scratch, std::int64_t in_scratch) {
  if (in_scratch == HaloLeg::kInPlace) return array.slice(block.offset, block.floats());
  SIMTRAIN_INVARIANT(in_scratch + block.floats() <= scratch.count,
                     "scratch of " + std::to_string(scratch.count) + " floats");
  return scratch.slice(in_scratch, block.floats());
}

}  // namespace

HaloExchange::HaloExchange(int rank, std::int64_t largest_message_bytes)
    : rank_(rank), longest_message_floats_(largest_message_bytes / static_cast<std::int64_t>(sizeof(float))) {}

CollectiveTraffic HaloExchange::begin(const Halo& halo, Buffer source, Buffer target, Buffer scratch, Kernels& kernels,
                                      Account account) {
  SIMTRAIN_INVARIANT(requests_.empty(), "a halo exchange runs already");
  const auto for_each_message = [&](Buffer message, const auto& start) {
    for_each_piece({0, message.count}, longest_message_floats_, [&](Segment piece) {
      requests_.push_back(MPI_REQUEST_NULL);
      start(message.slice(piece.offset, piece.count), &requests_.back());
    });
  };
  if (trace_ != nullptr) begin_s_ = trace_->now_s();
  Event packing;
  for_each_leg(halo, rank_, [&](const HaloLeg& leg) {
    if (leg.receive_from >= 0)
      for_each_message(message_of(target, leg.receive, scratch, leg.receive_scratch),
                       [&](Buffer piece, MPI_Request* request) {
                         MPI_Irecv(piece.data, static_cast<int>(piece.count), MPI_FLOAT, leg.receive_from, kTag,
                                   MPI_COMM_WORLD, request);
                       });
    if (leg.send_scratch != HaloLeg::kInPlace)
      packing = kernels.enqueue(
          copy_between(leg.send, packed(leg.send)),
          {from_offset(source, leg.send), message_of(source, leg.send, scratch, leg.send_scratch)}, account);
  });
  kernels.wait(packing);
  CollectiveTraffic traffic;
  for_each_leg(halo, rank_, [&](const HaloLeg& leg) {
    if (leg.send_to < 0) return;
    for_each_message(message_of(source, leg.send, scratch, leg.send_scratch), [&](Buffer piece, MPI_Request* request) {
      MPI_Isend(piece.data, static_cast<int>(piece.count), MPI_FLOAT, leg.send_to, kTag, MPI_COMM_WORLD, request);
      ++traffic.messages;
      traffic.bytes_sent += piece.count * static_cast<std::int64_t>(sizeof(float));
    });
  });
  Event keeping;
  const HaloCopy kept = kept_of(halo, rank_);
  if (kept.cleared > 0) keeping = kernels.enqueue(Clear{kept.cleared}, {target}, account);
  if (kept.from.floats() > 0)
    keeping = kernels.enqueue(copy_between(kept.from, kept.to),
                              {from_offset(source, kept.from), from_offset(target, kept.to)}, account);
  kernels.wait(keeping);
  return traffic;
}

void HaloExchange::note_messages(const Halo& halo) const {
  const double end_s = trace_->now_s();
  for_each_leg(halo, rank_, [&](const HaloLeg& leg) {
    const auto note = [&](int peer, const StoredBlock& block, bool sent) {
      if (peer < 0) return;
      trace_->exchanged({.begin_s = begin_s_,
                         .end_s = end_s,
                         .peer = peer,
                         .sent = sent,
                         .bytes = block.floats() * static_cast<std::int64_t>(sizeof(float)),
                         .messages = (block.floats() + longest_message_floats_ - 1) / longest_message_floats_});
    };
    note(leg.send_to, leg.send, true);
    note(leg.receive_from, leg.receive, false);
  });
}

void HaloExchange::end(const Halo& halo, Buffer target, Buffer scratch, Kernels& kernels, Account account) {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();  // keeps its memory
  if (trace_ != nullptr) note_messages(halo);
  Event arrived;
  for_each_leg(halo, rank_, [&](const HaloLeg& leg) {
    if (leg.receive_scratch == HaloLeg::kInPlace) return;
    CopyBlock arrival = copy_between(packed(leg.receive), leg.receive);
    arrival.add = halo.gradient;
    arrived = kernels.enqueue(
        arrival, {message_of(target, leg.receive, scratch, leg.receive_scratch), from_offset(target, leg.receive)},
        account);
  });
  kernels.wait(arrived);
}

}  // namespace simtrain
