#include "train/collective.hpp"

#include <mpi.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "train/library_collectives.hpp"
#include "train/merged.hpp"
#include "train/message_tag.hpp"
#include "train/phantom_messages.hpp"
#include "train/pieces.hpp"
#include "train/round_messages.hpp"
#include "train/running_collective.hpp"

namespace simtrain {

namespace {

// The usual round, one message each way or one alone, in a single call: SMPI reads its timers at every call, which
// costs more than the rest of our code. False: there is more than that to do.
bool exchange_at_once(const RoundExchange& exchange, const Round& round, CollectiveTraffic& traffic) {
  const auto simple = [&](int peer, const Segments& segments) {
    return peer < 0 || (segments.part[1].count == 0 && segments.part[0].count <= exchange.longest_message_floats);
  };
  if (!simple(round.send_to, round.send) || !simple(round.receive_from, round.receive)) return false;
  if (round.send_to < 0 && round.receive_from < 0) return true;
  const Segment out = round.send.part[0], in = round.receive.part[0];
  const Buffer source = exchange.data.slice(out.offset, out.count);
  const Buffer target = round.reduce ? exchange.scratch.slice(0, in.count) : exchange.data.slice(in.offset, in.count);
  const auto rank = [&](int peer) { return peer < 0 ? MPI_PROC_NULL : exchange.group.rank(peer); };
  MPI_Sendrecv(source.data, static_cast<int>(out.count), MPI_FLOAT, rank(round.send_to), kTag, target.data,
               static_cast<int>(in.count), MPI_FLOAT, rank(round.receive_from), kTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (round.send_to >= 0) {
    ++traffic.messages;
    traffic.bytes_sent += out.count * static_cast<std::int64_t>(sizeof(float));
  }
  return true;
}

// The same for any round, without MPI.
void exchange_phantoms(const RoundExchange& exchange, const Round& round, CollectiveTraffic& traffic) {
  const auto rank = [&](int peer) { return peer < 0 ? -1 : exchange.group.rank(peer); };
  exchange.messages->exchange(exchange.group.rank(exchange.group.me), rank(round.send_to), round.send,
                              rank(round.receive_from), exchange.longest_message_floats);
  if (round.send_to < 0) return;
  traffic.messages += piece_count(round.send, exchange.longest_message_floats);
  traffic.bytes_sent += round.send.count() * static_cast<std::int64_t>(sizeof(float));
}

// The additions of a collective whose messages are merged, at once.
void add_everything(const RoundExchange& exchange, CollectiveOp operation, Algorithm algorithm,
                    const Partition& blocks) {
  Event added;
  for_each_addition(operation, algorithm, blocks, exchange.group.me, [&](std::int64_t floats, std::int64_t times) {
    const Operands operands{exchange.scratch.slice(0, floats), exchange.data.slice(0, floats)};
    added =
        exchange.kernels.enqueue(ElementwiseOp{Elementwise::add, floats, times}, operands, exchange.reduction_account);
  });
  exchange.kernels.wait(added);
}

// `floats` each way at once, in pieces one after the other, whose number comes back. Addresses stand for phantoms.
int exchange_merged(const RoundExchange& exchange, int destination, int source, std::int64_t floats) {
  int pieces = 0;
  for_each_piece({0, floats}, exchange.longest_message_floats, [&](Segment piece) {
    ++pieces;
    if (exchange.messages != nullptr)
      return exchange.messages->exchange(exchange.group.rank(exchange.group.me), destination, {{piece}}, source,
                                         exchange.longest_message_floats);
    MPI_Sendrecv(exchange.data.data, static_cast<int>(piece.count), MPI_FLOAT, destination, kTag,
                 exchange.data.data + 1, static_cast<int>(piece.count), MPI_FLOAT, source, kTag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  });
  return pieces;
}

void run_merged_ring(const RoundExchange& exchange, int rounds, std::int64_t round_floats,
                     const CollectiveTraffic& mine, RoundMerging& merging) {
  const Group& group = exchange.group;
  if (merging.start_ring(group, rounds, round_floats * std::int64_t{sizeof(float)}, mine)) return;
  const int next = group.rank((group.me + 1) % group.size);
  const int previous = group.rank((group.me + group.size - 1) % group.size);
  const int pieces =
      exchange_merged(exchange, next, previous, rounds * round_floats + (rounds - 1) * merging.envelope_floats());
  merging.end_ring(group, std::max(0, rounds - pieces));
}

void run_merged_pairs(const RoundExchange& exchange, CollectiveOp operation, Algorithm algorithm,
                      const Partition& blocks, RoundMerging& merging) {
  std::vector<int> partners;
  for (int k = 0; k < round_count(algorithm, operation, exchange.group.size) / 2; ++k) {
    const Round round = round_of(algorithm, operation, blocks, exchange.group.me, k);
    const std::int64_t both_ways = round.send.count() + round.receive.count();  // with fewer blocks than members: 0
    const int peer = std::max(round.send_to, round.receive_from);
    if (both_ways == 0) continue;
    partners.push_back(exchange.group.rank(peer));
    exchange_merged(exchange, partners.back(), partners.back(), both_ways + merging.envelope_floats());
  }
  merging.pass_latencies(exchange.group.rank(exchange.group.me), partners);
}

// On shared links a message that is as long as the longest of every round would be in the others' way too much.
bool may_merge(Sharing sharing, const Partition& blocks) {
  constexpr double kMost = 1.02;           // longest block to mean
  constexpr std::int64_t kFewFloats = 16;  // what does not matter beside a latency
  const std::int64_t longest = blocks.length(0) * blocks.parts;
  const bool even = static_cast<double>(longest) <= kMost * static_cast<double>(blocks.size()) ||
                    longest - blocks.size() <= kFewFloats * blocks.parts;
  return sharing == Sharing::none || (sharing == Sharing::equal && even);
}

// False: nothing can be merged, and nothing has been done.
bool run_merged(const RoundExchange& exchange, CollectiveOp operation, Algorithm algorithm, const Partition& blocks,
                RoundMerging& merging) {
  const Merge merge = merge_of(operation, algorithm, blocks);
  // Rounds whose messages go in pieces are left alone.
  const std::int64_t longest = merge == Merge::ring ? blocks.length(0) : blocks.size();
  if (merge == Merge::none || longest > exchange.longest_message_floats) return false;
  if (merge == Merge::ring && !may_merge(merging.sharing(exchange.group), blocks)) return false;
  add_everything(exchange, operation, algorithm, blocks);
  if (merge == Merge::ring)
    run_merged_ring(exchange, round_count(algorithm, operation, exchange.group.size), blocks.length(0),
                    traffic_of(operation, algorithm, blocks, exchange.group.me, exchange.longest_message_floats),
                    merging);
  else
    run_merged_pairs(exchange, operation, algorithm, blocks, merging);
  return true;
}

}  // namespace

std::int64_t least_bytes(CollectiveOp operation, const Partition& blocks) {
  const std::int64_t bytes = blocks.size() * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t once = bytes * (blocks.parts - 1) / blocks.parts;
  return operation == CollectiveOp::all_reduce ? 2 * once : once;
}

Collectives::Collectives(Grid grid, Coordinates me, bool library_communicators, std::int64_t largest_message_bytes,
                         RoundMerging* merging)
    : Collectives(std::vector<Grid>{grid}, grid.rank(me), library_communicators, largest_message_bytes, merging) {}

Collectives::Collectives(const std::vector<Grid>& grids, int rank, bool library_communicators,
                         std::int64_t largest_message_bytes, RoundMerging* merging)
    : grid_(grids.front()),
      rank_(rank),
      longest_message_floats_(largest_message_bytes / static_cast<std::int64_t>(sizeof(float))),
      merging_(merging) {
  SIMTRAIN_INVARIANT(longest_message_floats_ >= 1 && largest_message_bytes <= kLargestMessageBytes,
                     "messages of at most " + std::to_string(largest_message_bytes) + " bytes");
  if (library_communicators) library_ = std::make_unique<LibraryCollectives>(grids, rank, longest_message_floats_);
}

Collectives::~Collectives() = default;

CollectiveTraffic Collectives::run(CollectiveOp operation, Algorithm algorithm, Scope scope, Buffer data,
                                   const Partition& blocks, Buffer scratch, Kernels& kernels,
                                   Account reduction_account) {
  const Coordinates me = grid_.coordinates(rank_);
  const Group group = scope == Scope::grid_column ? column_group(grid_, me) : row_group(grid_, me);
  return run(operation, algorithm, group, data, blocks, scratch, kernels, reduction_account);
}

CollectiveTraffic Collectives::run(CollectiveOp operation, Algorithm algorithm, const Group& group, Buffer data,
                                   const Partition& blocks, Buffer scratch, Kernels& kernels,
                                   Account reduction_account) {
  SIMTRAIN_INVARIANT(blocks.parts == group.size && data.count >= blocks.size(),
                     std::to_string(blocks.parts) + " blocks, " + std::to_string(group.size) + " members");
  if (group.size == 1 || blocks.size() == 0) return {};
  if (algorithm == Algorithm::mpi) {
    SIMTRAIN_INVARIANT(library_ != nullptr, "no communicators for the library's collectives");
    SIMTRAIN_INVARIANT(scratch.count >= scratch_floats(operation, algorithm, blocks, group.me),
                       "scratch of " + std::to_string(scratch.count) + " floats");
    library_->run(operation, group, data, blocks, scratch, kernels);
    return {.bytes_sent = least_bytes(operation, blocks), .messages = 0};
  }
  const RoundExchange exchange{group, data,   scratch,  longest_message_floats_, kernels, reduction_account,
                               kTag,  trace_, messages_};
  if (merging_ != nullptr && run_merged(exchange, operation, algorithm, blocks, *merging_))
    return traffic_of(operation, algorithm, blocks, group.me, longest_message_floats_);
  CollectiveTraffic traffic;
  const int rounds = round_count(algorithm, operation, group.size);
  for (int k = 0; k < rounds; ++k) {
    const Round round = round_of(algorithm, operation, blocks, group.me, k);
    SIMTRAIN_INVARIANT(!round.reduce || round.receive.count() <= scratch.count,
                       "scratch of " + std::to_string(scratch.count) + " floats");
    const double begin_s = round_begin_s(exchange);
    if (messages_ != nullptr) {
      exchange_phantoms(exchange, round, traffic);
    } else if (!exchange_at_once(exchange, round, traffic)) {
      Requests requests;
      start_receives(exchange, round, requests);
      start_sends(exchange, round, requests, traffic);
      requests.wait_all();
    }
    note_round(exchange, round, begin_s);
    add_arrivals(exchange, round);
  }
  return traffic;
}

void Collectives::start(RunningCollective& running, CollectiveOp operation, Algorithm algorithm, const Group& group,
                        Buffer data, const Partition& blocks, Buffer scratch, Kernels& kernels,
                        Account reduction_account, int tag) {
  running.start({operation, algorithm, blocks},
                {group, data, scratch, longest_message_floats_, kernels, reduction_account, tag, trace_},
                library_.get());
}

}  // namespace simtrain
