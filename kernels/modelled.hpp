// Kernels that charge predicted seconds to a clock. In a prediction they hand out phantoms and compute nothing; with
// `numbers` they also compute, so that a simulated job trains for real.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

  // Numbers from 0 for the accounts that any rank has booked on: each rank has room for these only.
  std::size_t place_of(Account account);
  [[nodiscard]] std::optional<std::size_t> known_place_of(Account account) const;
  [[nodiscard]] std::size_t places() const { return places_; }

 private:
  const CostModel& model_;
  double compute_scale_;
  bool beyond_;
  std::unordered_map<Call, Estimate, CallHash> known_;
  std::vector<std::int32_t> place_of_;  // by account; below 0: none
  std::size_t places_ = 0;
};

// Computing that goes on while the rank does something else: one stretch at a time.
class ComputingAside {
 public:
  ComputingAside() = default;
  ComputingAside(const ComputingAside&) = delete;
  ComputingAside& operator=(const ComputingAside&) = delete;
  virtual ~ComputingAside() = default;
  virtual void start(double seconds) = 0;
  virtual bool done() = 0;
  // Returns when it is over, and tells when that was.
  virtual double wait() = 0;
};

class ModelledKernels final : public Kernels {
 public:
  // `charge(seconds)` advances this rank's clock, `now` reads it (none: it starts at 0 and moves by what is charged).
  // Both references must outlive the object.
  // `numbers` (may be null): executes every operation as well, and owns the memory.
  // `noise` (may be null): disturbs what is charged.
  ModelledKernels(PricedOperations& prices, std::function<void(double)> charge, std::unique_ptr<Kernels> numbers = {},
                  std::function<double()> now = {}, std::unique_ptr<Noise> noise = {});

  // From now on what is enqueued goes on in `aside` when the rank waits for something else, and execute_beside() lets
  // its seconds pass by `pass` instead of charging them. Needs `now`.
  void compute_aside(std::unique_ptr<ComputingAside> aside, std::function<void(double)> pass);

  Buffer allocate(std::int64_t floats) override;
  // Prices it; numbers are computed here, since what it reads is there.
  Event enqueue(const Operation& operation, const Operands& operands, Account account) override;
  void wait(Event event) override;  // charges what was enqueued up to the event and not charged yet, at once
  void go_on() override;
  double idle_since() override;
  void execute_beside(const Operation& operation, const Operands& operands, Account account) override;
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
    Account account;
    OperationCost cost;
  };
  [[nodiscard]] const Booked* booked(Account account) const;  // null: nothing yet
  // Books operations that together were priced so and took from one time to another.
  void book(std::span<const Booking> bookings, double priced_s, double start_s, double end_s);
  void end_aside();

  PricedOperations& prices_;
  std::function<void(double)> charge_;
  std::function<double()> now_;
  double charged_s_ = 0;
  std::unique_ptr<Kernels> numbers_;
  std::unique_ptr<Noise> noise_;
  std::vector<Booked> accounts_;  // by their places (PricedOperations)
  std::vector<Booking> pending_;  // enqueued, and neither charged nor going on aside
  std::unique_ptr<ComputingAside> aside_;
  std::function<void(double)> pass_;
  std::vector<Booking> going_on_;  // aside
  double going_on_since_s_ = 0, going_on_priced_s_ = 0;
  std::int64_t phantom_floats_ = 0;  // handed out
  std::uint64_t enqueued_ = 0;
};

}  // namespace simtrain
