#include "train/gather_ranks.hpp"

#include <mpi.h>

#include <numeric>
#include <string>

#include "report/timeline_json.hpp"
#include "train/summary.hpp"

namespace simtrain {

namespace {

// One flat list of doubles; every rank of a job has equally many of each.
std::vector<double> pack(const RankResult& rank) {
  std::vector<double> flat(rank.iteration_seconds);
  for (const auto& row : rank.work_s) flat.insert(flat.end(), row.begin(), row.end());
  for (const auto& row : rank.exchanges)
    for (const RankExchange& e : row) flat.insert(flat.end(), {e.seconds, e.exposed_s, e.bytes_sent, e.messages});
  flat.insert(flat.end(), rank.loss_sums.begin(), rank.loss_sums.end());
  return flat;
}

// `like` gives the number of entries of each kind.
RankResult unpack(const RankResult& like, const double* next) {
  RankResult rank = like;
  for (double& value : rank.iteration_seconds) value = *next++;
  for (auto& row : rank.work_s)
    for (double& value : row) value = *next++;
  for (auto& row : rank.exchanges)
    for (RankExchange& e : row) {
      e.seconds = *next++;
      e.exposed_s = *next++;
      e.bytes_sent = *next++;
      e.messages = *next++;
    }
  for (double& value : rank.loss_sums) value = *next++;
  return rank;
}

void reduce(std::span<double> values, MPI_Op operation, int rank) {
  const void* mine = rank == 0 ? MPI_IN_PLACE : static_cast<const void*>(values.data());
  MPI_Reduce(mine, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, operation, 0, MPI_COMM_WORLD);
}

}  // namespace

std::optional<Result> gather_ranks(const Plan& plan, const RankResult& mine, PhaseLog* phases) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<double> flat = pack(mine);
  const auto count = static_cast<int>(flat.size());
  std::vector<double> all(rank == 0 ? flat.size() * static_cast<std::size_t>(size) : 0);
  MPI_Gather(flat.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (phases != nullptr) {
    reduce(phases->minima(), MPI_MIN, rank);
    reduce(phases->maxima(), MPI_MAX, rank);
    reduce(phases->sums(), MPI_SUM, rank);
  }
  if (rank != 0) return std::nullopt;
  Summary summary(plan);
  for (int i = 0; i < size; ++i) {
    RankResult other = unpack(mine, all.data() + static_cast<std::size_t>(i) * flat.size());
    other.at = plan.options.grid.coordinates(i);
    summary.add(other);
  }
  return summary.finish(phases);
}

std::optional<Timeline> gather_timeline(const Timeline& mine) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string text = to_json_value(mine).dump();
  const auto length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(size)), begins(static_cast<std::size_t>(size));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string all(rank == 0 ? static_cast<std::size_t>(begins.back() + lengths.back()) : 0, ' ');
  MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) return std::nullopt;
  Timeline timeline = mine;
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    const nlohmann::json document = nlohmann::json::parse(
        std::string_view(all).substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
    Timeline other = read_timeline(JsonObject("timeline", "of rank " + std::to_string(i), document));
    for (TimelineRank& one : other.ranks) timeline.ranks.push_back(std::move(one));
  }
  keep_within_limit(timeline);
  return timeline;
}

}  // namespace simtrain
