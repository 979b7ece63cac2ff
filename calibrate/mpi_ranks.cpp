#include "calibrate/mpi_ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace simtrain {

int started_processes() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* processes = std::getenv(variable); processes != nullptr) return std::atoi(processes);
  return 1;
}

int run_over_mpi(const std::function<int(int rank, int ranks)>& body) {
  MPI_Init(nullptr, nullptr);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool failed = true;
  const int status = run_guarded("calibrate", [&] {
    const int outcome = body(rank, ranks);
    failed = false;
    return outcome;
  });
  // A rank that fails in the middle leaves the others waiting for its messages: end them too.
  if (failed) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return status;
}

std::vector<int> Peers::pair_of(std::vector<int> group) {
  if (group.size() > 2) group.resize(2);
  return group;
}

bool Peers::in(int rank, const std::vector<int>& group) {
  return std::find(group.begin(), group.end(), rank) != group.end();
}

Peers find_peers(int rank, int ranks) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int first = rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, node);
  MPI_Comm_free(&node);
  std::vector<int> firsts(static_cast<std::size_t>(ranks));
  MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  Peers peers{{0}, {0}};
  for (int other = 1; other < ranks; ++other) {
    const int first_there = firsts[static_cast<std::size_t>(other)];
    if (first_there == 0)
      peers.local.push_back(other);
    else if (first_there == other)
      peers.remote.push_back(other);
  }
  return peers;
}

void wait_for_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace simtrain
