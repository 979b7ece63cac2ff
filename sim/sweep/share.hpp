// One sweep on many machines: each takes a share of the points, and nobody has to tell them which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace simtrain {

struct Share {
  std::int64_t index = 0, count = 1;  // 0 <= index < count
  [[nodiscard]] bool whole() const { return count == 1; }
  bool operator==(const Share&) const = default;
};

using Environment = std::function<const char*(const char* name)>;  // std::getenv

// "2/8": the third of eight. "auto": what the launcher says: the rank under mpirun (OMPI_COMM_WORLD_RANK and _SIZE) or
// PMI (PMI_RANK, PMI_SIZE), else the process of srun (SLURM_PROCID, SLURM_NTASKS); within a job array
// (SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT) the tasks of all its members are counted. InputError for anything else,
// and for auto where nobody says.
Share parse_share(const std::string& text, const Environment& environment);

// The points of a share, in their order: whoever has least so far gets the one that costs most of those left, so that
// shares take about as long. The same on every machine.
std::vector<std::size_t> points_of(const Share& share, const std::vector<double>& costs);

// The results file of a share: "grids.jsonl" -> "grids.2-of-8.jsonl"; of the whole: the file itself.
std::string file_of(const Share& share, const std::string& path);
// The share that a file is named by, as file_of does; none: by none.
std::optional<Share> share_of_file(const std::string& path);

}  // namespace simtrain
