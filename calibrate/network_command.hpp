// `mpirun -n 2 calibrate network`: measures messages and writes the network section of a profile.
#pragma once

#include <string>
#include <vector>

namespace simtrain {

// Called by every rank, before MPI_Init: of all commands of `calibrate`, this one alone needs MPI. Rank 0 reads the
// options, drives, writes and speaks. Returns the exit status, the same on every rank.
int network_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
