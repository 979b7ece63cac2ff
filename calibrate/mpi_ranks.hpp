// What the commands of calibrate that run under mpirun share: rank 0 decides and measures, others answer or wait.
#pragma once

#include <functional>

namespace simtrain {

// As how many processes this program was started together, by what mpirun and srun tell in the environment; 1: alone.
int started_processes();

// MPI_Init, body(rank, ranks), MPI_Finalize. A rank whose body throws ends all of them, with the status of run_guarded.
int run_over_mpi(const std::function<int(int rank, int ranks)>& body);

// The ranks that rank 0 measures messages with, the first on its node and the first elsewhere; -1: none.
struct Peers {
  int local = -1, remote = -1;
};
Peers find_peers(int rank, int ranks);  // collective

// Collective, at the end. Ranks that measure nothing sleep in it meanwhile: their cores may be needed.
void wait_for_all();

}  // namespace simtrain
