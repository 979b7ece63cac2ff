// MPI_Wtime() for threads that must not call MPI.
#pragma once

#include <mpi.h>

#include <chrono>

namespace simtrain {

// Made by the thread that may call MPI; read by any. Both clocks run at the same rate.
class RankClock {
 public:
  RankClock() : offset_s_(MPI_Wtime() - steady_s()) {}
  double operator()() const { return steady_s() + offset_s_; }

 private:
  static double steady_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double offset_s_;
};

}  // namespace simtrain
