// Sends messages between processes and times them, with the MPI calls that train/collective.cpp makes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "calibrate/network_measure.hpp"
#include "calibrate/workbench.hpp"

namespace simtrain {

// Used by a group of ranks of MPI_COMM_WORLD, two or more. The first one drives: it calls time_s as often as it likes,
// then stop; the others call serve, which returns after stop. All timings are between the first two, but for loaded
// ones, in which all take part. MPI must be initialised; all give the same group and largest_bytes.
class MessageBench {
 public:
  // Collective over the group. Takes four times largest_bytes of memory, or 128 MiB if that is more: messages of
  // `computing` and `loaded` timings go through all of it in turn, so that they leave from and arrive in memory that no
  // cache holds.
  MessageBench(std::vector<int> group, std::int64_t largest_bytes);
  ~MessageBench();
  MessageBench(const MessageBench&) = delete;
  MessageBench& operator=(const MessageBench&) = delete;

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
  double loaded(const Probe& probe);

  void handshake(Role role);
  void send(std::int64_t bytes);
  void receive(std::int64_t bytes);
  void send_receive(std::int64_t bytes);
  void next_place(std::int64_t bytes);

  std::vector<int> group_;
  MPI_Comm members_ = MPI_COMM_NULL;  // the group
  int member_ = 0;                    // my place in it
  int peer_;                          // of the first two: the other one
  std::vector<char> out_, in_;
  std::size_t at_ = 0;      // where messages leave from and arrive
  std::size_t cursor_ = 0;  // where the next one after computing does
  Workbench bench_;
};

}  // namespace simtrain
