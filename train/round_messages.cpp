#include "train/round_messages.hpp"

#include "train/pieces.hpp"

namespace simtrain {

void Requests::wait_all() {
  MPI_Waitall(static_cast<int>(used_), few_.data(), MPI_STATUSES_IGNORE);
  if (!many_.empty()) MPI_Waitall(static_cast<int>(many_.size()), many_.data(), MPI_STATUSES_IGNORE);
  used_ = 0;
  many_.clear();
}

bool Requests::test_all() {
  int done = 1;
  if (used_ > 0) MPI_Testall(static_cast<int>(used_), few_.data(), &done, MPI_STATUSES_IGNORE);
  if (done != 0 && !many_.empty())
    MPI_Testall(static_cast<int>(many_.size()), many_.data(), &done, MPI_STATUSES_IGNORE);
  if (done == 0) return false;
  used_ = 0;
  many_.clear();
  return true;
}

double round_begin_s(const RoundExchange& exchange) { return exchange.trace != nullptr ? exchange.trace->now_s() : 0; }

void note_round(const RoundExchange& exchange, const Round& round, double begin_s) {
  if (exchange.trace == nullptr) return;
  const double end_s = exchange.trace->now_s();
  const auto note = [&](int member, const Segments& segments, bool sent) {
    if (member < 0) return;
    exchange.trace->exchanged({.begin_s = begin_s,
                               .end_s = end_s,
                               .peer = exchange.group.rank(member),
                               .sent = sent,
                               .background = exchange.tag == kBackgroundTag,
                               .bytes = segments.count() * static_cast<std::int64_t>(sizeof(float)),
                               .messages = piece_count(segments, exchange.longest_message_floats)});
  };
  note(round.send_to, round.send, true);
  note(round.receive_from, round.receive, false);
}

void start_receives(const RoundExchange& exchange, const Round& round, Requests& requests) {
  if (round.receive_from < 0) return;
  const int source = exchange.group.rank(round.receive_from);
  std::int64_t arrived = 0;  // what is to be added lies in scratch one segment after the other
  for (const Segment& segment : round.receive.part) {
    const Segment target = round.reduce ? Segment{arrived, segment.count} : segment;
    for_each_piece(target, exchange.longest_message_floats, [&](Segment piece) {
      const Buffer buffer = (round.reduce ? exchange.scratch : exchange.data).slice(piece.offset, piece.count);
      MPI_Irecv(buffer.data, static_cast<int>(piece.count), MPI_FLOAT, source, exchange.tag, MPI_COMM_WORLD,
                requests.add());
    });
    arrived += segment.count;
  }
}

void start_sends(const RoundExchange& exchange, const Round& round, Requests& requests, CollectiveTraffic& traffic) {
  if (round.send_to < 0) return;
  const int destination = exchange.group.rank(round.send_to);
  for (const Segment& segment : round.send.part) {
    for_each_piece(segment, exchange.longest_message_floats, [&](Segment piece) {
      const Buffer buffer = exchange.data.slice(piece.offset, piece.count);
      MPI_Isend(buffer.data, static_cast<int>(piece.count), MPI_FLOAT, destination, exchange.tag, MPI_COMM_WORLD,
                requests.add());
      ++traffic.messages;
    });
  }
  traffic.bytes_sent += round.send.count() * static_cast<std::int64_t>(sizeof(float));
}

void add_arrivals(const RoundExchange& exchange, const Round& round) {
  if (!round.reduce || round.receive_from < 0) return;
  Event added;
  std::int64_t arrived = 0;
  for (const Segment& segment : round.receive.part) {
    if (segment.count == 0) continue;
    const Operands operands{exchange.scratch.slice(arrived, segment.count),
                            exchange.data.slice(segment.offset, segment.count)};
    added =
        exchange.kernels.enqueue(ElementwiseOp{Elementwise::add, segment.count}, operands, exchange.reduction_account);
    arrived += segment.count;
  }
  exchange.kernels.wait(added);
}

}  // namespace simtrain
