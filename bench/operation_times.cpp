// Where a profile is right and where it is not: every operation of a trainer on one rank, its processor time beside the
// profile's price, by layer and kind. What the phases of `simtrain compare` are made of.
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "bench/one_rank.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/profile.hpp"
#include "kernels/modelled.hpp"
#include "report/table.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

double processor_s() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What an operation is made of: its primitive calls, or the one call that it is.
std::string name_of_calls(const Operation& operation) {
  std::string text;
  for_each_call(operation, [&](const Call& call, std::int64_t times) {
    text += (text.empty() ? "" : " + ") + std::to_string(times) + " " + std::string(name_of(call.kernel)) + " " +
            std::to_string(call.m);
    if (call.n != 1 || call.k != 1) text += "x" + std::to_string(call.n) + "x" + std::to_string(call.k);
    if (call.window != 1) text += "w" + std::to_string(call.window);
  });
  return text;
}

class Observed final : public KernelsAround {
 public:
  explicit Observed(PricedOperations& prices) : prices_(prices) {}

  struct Entry {
    std::string name;
    std::vector<double> seconds;
    double predicted_s;
  };

  Event enqueue(const Operation& operation, const Operands& operands, Account account) override {
    if (at_ == entries_.size()) entries_.push_back({name_of_calls(operation), {}, prices_.price(operation).seconds});
    const double begin = processor_s();
    const Event event = kernels_.enqueue(operation, operands, account);
    entries_[at_++].seconds.push_back(processor_s() - begin);
    return event;
  }

  void next_iteration() { at_ = 0; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  PricedOperations& prices_;
  std::vector<Entry> entries_;  // by operation, in the order of an iteration
  std::size_t at_ = 0;
};

int run(const std::vector<std::string>& arguments) {
  po::options_description options =
      one_rank_options("operation_times: operations of a trainer beside a profile's prices", "32", "7");
  options.add_options()("profile", po::value<std::string>(), "profile");
  const po::variables_map values = parse_options(arguments, options, {});
  if (given(values, "help") || !given(values, "profile")) {
    std::cout << options;
    return given(values, "help") ? 0 : 2;
  }
  const Plan plan = one_rank_plan(values);
  const std::int64_t iterations = iterations_of(values);
  const Profile profile =
      Profile::read(find_data_file("profile", "profiles", text_of(values, "profile"), ".json").string());
  PricedOperations prices(profile, 1);
  const SyntheticData data(plan.network, 1);
  use_blas_threads(1);
  Observed kernels(prices);
  Collectives collectives(plan.options.grid, {0, 0}, false);
  Trainer trainer(plan, {0, 0}, kernels, collectives, data, {.seed = 1, .schedule = {}});
  for (int i = 0; i <= iterations; ++i) {
    kernels.next_iteration();
    trainer.run(0, 1);
  }
  using Align = Table::Align;
  Table table({{"calls", Align::left},
               {"measured, ms", Align::right},
               {"profile, ms", Align::right},
               {"error", Align::right},
               {"of all", Align::right}});
  double measured_sum = 0, predicted_sum = 0;
  const auto middle = [](const Observed::Entry& entry) {
    return median(std::vector<double>(entry.seconds.begin() + 1, entry.seconds.end()));
  };
  for (const Observed::Entry& entry : kernels.entries()) {
    measured_sum += middle(entry);
    predicted_sum += entry.predicted_s;
  }
  const auto row = [&](const std::string& name, double measured, double predicted) {
    char text[3][32];
    std::snprintf(text[0], sizeof text[0], "%.3f", 1e3 * measured);
    std::snprintf(text[1], sizeof text[1], "%.3f", 1e3 * predicted);
    std::snprintf(text[2], sizeof text[2], "%+.1f %%", 100 * (predicted / measured - 1));
    table.row({name, text[0], text[1], text[2], format_percent((predicted - measured) / measured_sum)});
  };
  for (const Observed::Entry& entry : kernels.entries()) row(entry.name, middle(entry), entry.predicted_s);
  table.rule();
  row("all", measured_sum, predicted_sum);
  std::cout << plan.network.name << ", batch " << plan.options.batch << ", one rank, processor time, median of "
            << iterations << " iterations\n"
            << table.text(120);
  return 0;
}

}  // namespace
}  // namespace simtrain

int main(int argc, char** argv) { return simtrain::run_one_rank(argc, argv, "operation_times", simtrain::run); }
