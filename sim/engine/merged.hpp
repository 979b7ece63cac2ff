// What SimGrid does for merged rounds (train/merged.hpp).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "sim/engine/simulation.hpp"
#include "train/grid.hpp"
#include "train/merged.hpp"

namespace simtrain {

// One per Simulation, shared by its ranks. Looks at once at the routes of all rings of grids' columns and rows: where
// each flow of a ring has its links to itself, the ring needs no messages. Flows of rings over columns are not held
// against those of rings over rows, or of another grid: they meet only when ranks are out of step. Bandwidths are those
// at the start.
class MergedRounds final : public RoundMerging {
 public:
  // `host_of_rank` as in Simulation::run; both must outlive it. The grids are of all ranks (Plan::grids).
  MergedRounds(Simulation& simulation, const std::vector<int>& host_of_rank, const std::vector<Grid>& grids);
  MergedRounds(Simulation& simulation, const std::vector<int>& host_of_rank, Grid grid)
      : MergedRounds(simulation, host_of_rank, std::vector<Grid>{grid}) {}
  ~MergedRounds() override;

  // Whether merged rounds are known to take as long as every message does (docs/decisions/0008-merged-detail.md): what
  // `--detail auto` asks for. The flows of every ring share their links equally, or none at all; with ranks that are
  // not equally fast, none at all, since rings out of step meet each other.
  [[nodiscard]] bool known_to_be_near(bool ranks_equally_fast) const;

  // After the run: counts on links what rings sent by the schedule instead of what was simulated, which is nothing
  // where a ring's time is a formula, and as much as their longest block in each round where it is not.
  void count_rings() const;

  [[nodiscard]] Sharing sharing(const Group& group) const override;
  bool start_ring(const Group& group, int rounds, std::int64_t round_bytes, const CollectiveTraffic& mine) override;
  void end_ring(const Group& group, int latencies) override;
  void pass_latencies(int rank, const std::vector<int>& partners) override;
  [[nodiscard]] std::int64_t envelope_floats() const override;

 private:
  struct Ring;
  void look_at(const std::vector<Group>& groups);
  [[nodiscard]] Ring& ring_of(const Group& group) const;

  Simulation& simulation_;
  const std::vector<int>& host_of_rank_;
  using RingKey = std::array<int, 3>;  // first rank, stride, size
  std::map<RingKey, std::unique_ptr<Ring>> rings_;
};

}  // namespace simtrain
