#include "calibrate/message_bench.hpp"

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace simtrain {
namespace {

constexpr int kCommandTag = 1, kHandshakeTag = 2, kDataTag = 3, kFiguresTag = 4;
constexpr std::size_t kLeastMemory = std::size_t{1} << 26;  // of each direction: more than a core's share of any cache

// Of the node, not of the process: two processes of one node read the same clock.
double clock_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Command {
  std::int64_t timing, bytes, repetitions;  // timing < 0: stop
  double delay_s;
};

// A product of 192 x 192 x 192: 0.2 to 1 ms on one core, operands in the caches and beyond.
const Call kProduct{Kernel::gemm_nn, 192, 192, 192};

void wait_without_mpi(double seconds) {
  for (const double end = clock_s() + seconds; clock_s() < end;) {
  }
}

// Seconds of one of several executions, timed in batches so that the clock is read rarely. One execution before them is
// not timed: it brings the memory into the caches.
template <typename Once>
double typical_s(std::int64_t repetitions, Once once) {
  constexpr std::int64_t kBatches = 15;
  const std::int64_t batches = std::min(kBatches, repetitions);
  const std::int64_t per_batch = repetitions / batches;
  once();
  std::vector<double> seconds;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const double start_s = clock_s();
    for (std::int64_t i = 0; i < per_batch; ++i) once();
    seconds.push_back((clock_s() - start_s) / static_cast<double>(per_batch));
  }
  return undisturbed_s(std::move(seconds));
}

struct Partners {
  int to, from;
};

// Of a member's round. Exchanges are with partners that change, as in recursive doubling, or with the same one, as in
// all groups of two; members beyond a power of two wait. A rotation is an all-to-all without the round in which all
// would exchange.
Partners loaded_partners(MessageTiming timing, int members, int me, std::int64_t round) {
  const auto at_distance = [&](int distance) {
    return Partners{(me + distance) % members, (me + members - distance) % members};
  };
  if (timing == MessageTiming::shift_loaded) return at_distance(1);
  if (timing == MessageTiming::rotation_loaded) {
    const int half = members % 2 == 0 ? members / 2 : members;
    const auto distance = static_cast<int>(1 + round % (members - (half < members ? 2 : 1)));
    return at_distance(distance < half ? distance : distance + 1);
  }
  const int bits = std::bit_width(static_cast<unsigned>(members)) - 1;
  const int partner = me ^ (1 << (timing == MessageTiming::pair_loaded ? 0 : round % bits));
  return me < 1 << bits ? Partners{partner, partner} : Partners{MPI_PROC_NULL, MPI_PROC_NULL};
}

}  // namespace

MessageBench::MessageBench(std::vector<int> group, std::int64_t largest_bytes)
    : group_(std::move(group)),
      peer_(group_.front()),
      out_(std::max(kLeastMemory, 2 * static_cast<std::size_t>(largest_bytes)), 1),
      in_(out_.size(), 2),
      bench_(0, 1) {
  MPI_Group world = MPI_GROUP_NULL, members = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(group_.size()), group_.data(), &members);
  MPI_Comm_create_group(MPI_COMM_WORLD, members, kCommandTag, &members_);
  MPI_Group_free(&members);
  MPI_Group_free(&world);
  MPI_Comm_rank(members_, &member_);
  if (member_ == 0) peer_ = group_[1];
}

MessageBench::~MessageBench() { MPI_Comm_free(&members_); }

double MessageBench::time_s(const Probe& probe) {
  const Command command{static_cast<std::int64_t>(probe.timing), probe.bytes, probe.repetitions, probe.delay_s};
  const std::size_t others = is_loaded(probe.timing) ? group_.size() : 2;
  for (std::size_t i = 1; i < others; ++i)
    MPI_Send(&command, sizeof command, MPI_BYTE, group_[i], kCommandTag, MPI_COMM_WORLD);
  return visit(probe, Role::driver);
}

void MessageBench::stop() {
  const Command command{-1, 0, 0, 0};
  for (std::size_t i = 1; i < group_.size(); ++i)
    MPI_Send(&command, sizeof command, MPI_BYTE, group_[i], kCommandTag, MPI_COMM_WORLD);
}

void MessageBench::serve() {
  for (;;) {
    Command command{};
    MPI_Recv(&command, sizeof command, MPI_BYTE, group_.front(), kCommandTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (command.timing < 0) return;
    visit({static_cast<MessageTiming>(command.timing), command.bytes, command.repetitions, command.delay_s},
          Role::server);
  }
}

double MessageBench::visit(const Probe& probe, Role role) {
  at_ = 0;
  switch (probe.timing) {
    case MessageTiming::one_way_idle:
      return ping_pong(probe, role);
    case MessageTiming::one_way_by_clock:
      return one_way_by_clock(probe, role);
    case MessageTiming::exchange_idle:
      return exchanges(probe, role);
    case MessageTiming::one_way_computing:
    case MessageTiming::exchange_computing:
      return after_computing(probe, role);
    case MessageTiming::send_call:
    case MessageTiming::isend_call:
      return calls(probe, role);
    case MessageTiming::late_receive:
      return late_receives(probe, role);
    case MessageTiming::exchange_loaded:
    case MessageTiming::shift_loaded:
    case MessageTiming::pair_loaded:
    case MessageTiming::rotation_loaded:
      return loaded(probe);
  }
  return 0;
}

// Half of a round trip.
double MessageBench::ping_pong(const Probe& probe, Role role) {
  return 0.5 * typical_s(probe.repetitions, [&] {
           if (role == Role::driver) send(probe.bytes);
           receive(probe.bytes);
           if (role == Role::server) send(probe.bytes);
         });
}

// One after the other: none ends before the peer has begun it, so they keep in step.
double MessageBench::exchanges(const Probe& probe, Role role) {
  handshake(role);
  return typical_s(probe.repetitions, [&] { send_receive(probe.bytes); });
}

double MessageBench::one_way_by_clock(const Probe& probe, Role role) {
  std::vector<double> stamps_s, arrivals_s(static_cast<std::size_t>(probe.repetitions));
  for (std::int64_t i = -1; i < probe.repetitions; ++i) {
    if (role == Role::driver) {
      if (i >= 0) stamps_s.push_back(clock_s());
      send(probe.bytes);
    }
    receive(probe.bytes);
    if (role == Role::server) {
      if (i >= 0) stamps_s.push_back(clock_s());
      send(probe.bytes);
    }
  }
  const auto count = static_cast<int>(probe.repetitions);
  if (role == Role::server) {
    MPI_Send(stamps_s.data(), count, MPI_DOUBLE, peer_, kFiguresTag, MPI_COMM_WORLD);
    return 0;
  }
  MPI_Recv(arrivals_s.data(), count, MPI_DOUBLE, peer_, kFiguresTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < arrivals_s.size(); ++i) arrivals_s[i] -= stamps_s[i];
  return std::max(1e-9, undisturbed_s(std::move(arrivals_s)));
}

double MessageBench::after_computing(const Probe& probe, Role role) {
  std::vector<double> seconds, latencies, of_peer(static_cast<std::size_t>(probe.repetitions));
  const bool exchange = probe.timing == MessageTiming::exchange_computing;
  for (std::int64_t i = 0; i < probe.repetitions; ++i) {
    bench_.time_s(kProduct, 1);
    next_place(probe.bytes);
    const double handshake_s = clock_s();
    handshake(role);
    const double start_s = clock_s();
    latencies.push_back(0.5 * (start_s - handshake_s));
    if (exchange) {
      send_receive(probe.bytes);
    } else {
      if (role == Role::driver) send(probe.bytes);
      receive(probe.bytes);
      if (role == Role::server) send(probe.bytes);
    }
    seconds.push_back((clock_s() - start_s) / (exchange ? 1 : 2));
  }
  const auto count = static_cast<int>(probe.repetitions);
  if (role == Role::server) {
    MPI_Send(seconds.data(), count, MPI_DOUBLE, peer_, kFiguresTag, MPI_COMM_WORLD);
    return 0;
  }
  MPI_Recv(of_peer.data(), count, MPI_DOUBLE, peer_, kFiguresTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // An exchange ends when both processes have ended theirs: the one that receives first may, long before the other one.
  // The server begins before the driver, by the way of the handshake's second message, of which we know the least.
  const double latency_s = *std::min_element(latencies.begin(), latencies.end());
  for (std::size_t i = 0; exchange && i < seconds.size(); ++i)
    seconds[i] = std::max(seconds[i], of_peer[i] - latency_s);
  return undisturbed_s(std::move(seconds));
}

double MessageBench::calls(const Probe& probe, Role role) {
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < probe.repetitions; ++i) {
    handshake(role);
    if (role == Role::server) {
      receive(probe.bytes);
      continue;
    }
    const double start_s = clock_s();
    if (probe.timing == MessageTiming::send_call) {
      send(probe.bytes);
      seconds.push_back(clock_s() - start_s);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(out_.data(), static_cast<int>(probe.bytes), MPI_BYTE, peer_, kDataTag, MPI_COMM_WORLD, &request);
      seconds.push_back(clock_s() - start_s);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  return role == Role::driver ? undisturbed_s(std::move(seconds)) : 0;
}

double MessageBench::late_receives(const Probe& probe, Role role) {
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < probe.repetitions; ++i) {
    handshake(role);
    if (role == Role::server) {
      send(probe.bytes);
      continue;
    }
    wait_without_mpi(probe.delay_s);
    const double start_s = clock_s();
    receive(probe.bytes);
    seconds.push_back(clock_s() - start_s);
  }
  return role == Role::driver ? undisturbed_s(std::move(seconds)) : 0;
}

// Rounds in a row, as in a collective: members get out of step, and what one of them still has to send waits beside
// what it sends next. Short rounds come before, since long and short arrays take turns in training: after short ones
// members are out of step, and TCP has seen a network without queues. Rotations begin out of step by up to a round, as
// they do after computing: what does not wait for its receiver then arrives there two at a time, in every round, while
// members in step would stay so.
double MessageBench::loaded(const Probe& probe) {
  const auto rounds = [&](std::int64_t how_many, std::int64_t bytes) {
    const auto count = static_cast<int>(bytes);
    const double start_s = clock_s();
    for (std::int64_t i = 0; i < how_many; ++i) {
      const Partners partners = loaded_partners(probe.timing, static_cast<int>(group_.size()), member_, i);
      next_place(bytes);
      MPI_Sendrecv(out_.data() + at_, count, MPI_BYTE, partners.to, kDataTag, in_.data() + at_, count, MPI_BYTE,
                   partners.from, kDataTag, members_, MPI_STATUS_IGNORE);
    }
    return clock_s() - start_s;
  };
  constexpr std::int64_t kShortRounds = 6, kShortBytes = 2000;
  std::vector<double> delays_s;
  for (std::size_t member = 0; member < group_.size(); ++member) {
    constexpr double kGolden = 0.618033988749895;  // multiples of it, modulo 1, are spread evenly, neighbours far apart
    delays_s.push_back(probe.delay_s * std::fmod(kGolden * static_cast<double>(member), 1.0));
  }
  MPI_Barrier(members_);
  rounds(kShortRounds, kShortBytes);
  const double delay_s = delays_s[static_cast<std::size_t>(member_)];
  if (delay_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(delay_s));
  const double mine_s = delay_s + rounds(probe.repetitions, probe.bytes);
  double longest_s = 0;
  MPI_Reduce(&mine_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, members_);
  const double last_begin_s = *std::max_element(delays_s.begin(), delays_s.end());
  return std::max(1e-9, longest_s - last_begin_s) / static_cast<double>(probe.repetitions);
}

// When it returns, the peer is there or one short message away.
void MessageBench::handshake(Role role) {
  const auto say = [&] { MPI_Send(nullptr, 0, MPI_BYTE, peer_, kHandshakeTag, MPI_COMM_WORLD); };
  const auto hear = [&] { MPI_Recv(nullptr, 0, MPI_BYTE, peer_, kHandshakeTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); };
  if (role == Role::driver) say();
  hear();
  if (role == Role::server) say();
}

void MessageBench::send(std::int64_t bytes) {
  MPI_Send(out_.data() + at_, static_cast<int>(bytes), MPI_BYTE, peer_, kDataTag, MPI_COMM_WORLD);
}

void MessageBench::receive(std::int64_t bytes) {
  MPI_Recv(in_.data() + at_, static_cast<int>(bytes), MPI_BYTE, peer_, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void MessageBench::send_receive(std::int64_t bytes) {
  MPI_Sendrecv(out_.data() + at_, static_cast<int>(bytes), MPI_BYTE, peer_, kDataTag, in_.data() + at_,
               static_cast<int>(bytes), MPI_BYTE, peer_, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void MessageBench::next_place(std::int64_t bytes) {
  constexpr std::size_t kAlignment = 4096;
  const auto size = static_cast<std::size_t>(bytes);
  if (cursor_ + size > out_.size()) cursor_ = 0;
  at_ = cursor_;
  cursor_ += (size + kAlignment) / kAlignment * kAlignment;
}

}  // namespace simtrain
