// What the commands of calibrate that run under mpirun share: rank 0 decides and measures, others answer or wait.
#pragma once

#include <functional>
#include <vector>

namespace simtrain {

// As how many processes this program was started together, by what mpirun and srun tell in the environment; 1: alone.
int started_processes();

// MPI_Init, body(rank, ranks), MPI_Finalize. A rank whose body throws ends all of them, with the status of run_guarded.
int run_over_mpi(const std::function<int(int rank, int ranks)>& body);

// The ranks that rank 0 measures messages with: those on its node, and one of each other node (the first on it), by
// rank and led by rank 0. Alone there: no such place.
struct Peers {
  std::vector<int> local, remote;
  [[nodiscard]] static bool some(const std::vector<int>& group) { return group.size() > 1; }
  // The first two, or fewer.
  [[nodiscard]] static std::vector<int> pair_of(std::vector<int> group);
  [[nodiscard]] static bool in(int rank, const std::vector<int>& group);
};
Peers find_peers(int rank, int ranks);  // collective

// Collective, at the end. Ranks that measure nothing sleep in it meanwhile: their cores may be needed.
void wait_for_all();

}  // namespace simtrain
