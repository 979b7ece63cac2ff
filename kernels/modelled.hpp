// Kernels that charge predicted seconds to a clock. In a prediction they hand out phantoms and compute nothing; with
// `numbers` they also compute, so that a simulated job trains for real.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernels/cost_model.hpp"
#include "kernels/kernels.hpp"
#include "kernels/noise.hpp"

namespace simtrain {

// A cost model with a memory: the ranks of a job ask for the same few shapes over and over. One per simulation.
// compute_scale: 2 means a node twice as fast as the profile's.
class PricedOperations {
 public:
  // beyond: the model was measured in other circumstances, so that all of it is extrapolated.
  PricedOperations(const CostModel& model, double compute_scale, bool beyond = false)
      : model_(model), compute_scale_(compute_scale), beyond_(beyond) {}
  // noise (may be null): disturbs each call.
  OperationCost price(const Operation& operation, Noise* noise = nullptr);

 private:
  const CostModel& model_;
  double compute_scale_;
  bool beyond_;
  std::unordered_map<Call, Estimate, CallHash> known_;
};

class ModelledKernels final : public Kernels {
 public:
  // `charge(seconds)` advances this rank's clock, `now` reads it (none: it starts at 0 and moves by what is charged).
  // Both references must outlive the object.
  // `numbers` (may be null): executes every operation as well, and owns the memory.
  // `noise` (may be null): disturbs what is charged.
  ModelledKernels(PricedOperations& prices, std::function<void(double)> charge, std::unique_ptr<Kernels> numbers = {},
                  std::function<double()> now = {}, std::unique_ptr<Noise> noise = {});

  Buffer allocate(std::int64_t floats) override;
  Event enqueue(const Operation& operation, const Operands& operands, Account account) override;
  void wait(Event event) override;  // charges everything enqueued since the last wait, at once
  [[nodiscard]] double busy_s(Account account) const override;
  [[nodiscard]] double extrapolated_s(Account account) const;
  [[nodiscard]] Interval interval(Account account) const override;
  void reset_accounts() override;
  void fill(Buffer buffer, const std::function<float(std::int64_t)>& value) override;
  std::span<const float> read(Buffer buffer) override;
  std::span<float> write(Buffer buffer) override;

 private:
  static constexpr double kNever = -1;
  struct Booked {
    OperationCost cost;
    Interval interval{kNever, kNever};
  };
  struct Booking {
    std::size_t account;
    OperationCost cost;
  };

  PricedOperations& prices_;
  std::function<void(double)> charge_;
  std::function<double()> now_;
  double charged_s_ = 0;
  std::unique_ptr<Kernels> numbers_;
  std::unique_ptr<Noise> noise_;
  std::vector<Booked> accounts_;
  std::vector<Booking> pending_;     // enqueued since the last wait
  std::int64_t phantom_floats_ = 0;  // handed out
  std::uint64_t enqueued_ = 0;
};

}  // namespace simtrain
