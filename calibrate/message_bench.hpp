// Sends messages between two processes and times them, with the MPI calls that train/collective.cpp makes.
#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/network_measure.hpp"
#include "calibrate/workbench.hpp"

namespace simtrain {

// Used by two ranks of MPI_COMM_WORLD, of which one drives: it calls time_s as often as it likes, then stop; the other
// one calls serve, which returns after stop. MPI must be initialised; both give the same largest_bytes.
class MessageBench {
 public:
  // Takes four times largest_bytes of memory, or 128 MiB if that is more: messages of `computing` timings go through
  // all of it in turn, so that they leave from and arrive in memory that no cache holds.
  MessageBench(int peer, std::int64_t largest_bytes);

  // Seconds of one message, call or exchange: a visit. Precondition: bytes <= largest_bytes.
  double time_s(const Probe& probe);
  void stop();

  void serve();

 private:
  enum class Role { driver, server };

  double visit(const Probe& probe, Role role);
  double ping_pong(const Probe& probe, Role role);
  double exchanges(const Probe& probe, Role role);
  double one_way_by_clock(const Probe& probe, Role role);
  double after_computing(const Probe& probe, Role role);
  double calls(const Probe& probe, Role role);
  double late_receives(const Probe& probe, Role role);

  void handshake(Role role);
  void send(std::int64_t bytes);
  void receive(std::int64_t bytes);
  void send_receive(std::int64_t bytes);
  void next_place(std::int64_t bytes);

  int peer_;
  std::vector<char> out_, in_;
  std::size_t at_ = 0;      // where messages leave from and arrive
  std::size_t cursor_ = 0;  // where the next one after computing does
  Workbench bench_;
};

}  // namespace simtrain
