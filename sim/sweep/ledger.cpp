#include "sim/sweep/ledger.hpp"

#include <cstdio>

#include "report/json.hpp"
#include "report/table.hpp"
#include "sim/sweep/store.hpp"

namespace simtrain {

SweepLedger::SweepLedger(const SweepInputs& inputs, ResultsStore* store) : inputs_(inputs), store_(store) {
  if (store != nullptr) states_ = store->states();
}

void SweepLedger::result(std::size_t point, const std::string& json) {
  states_[point].result = result_from_json("the simulation of " + label(point), json);
  save(result_line(point, json));
}

void SweepLedger::error(std::size_t point, const std::string& text) {
  states_[point].error = text;
  save(error_line(point, text));
}

void SweepLedger::skipped(std::size_t point) {
  states_[point].skipped = true;
  save(skipped_line(point));
}

void SweepLedger::lower_bound(std::size_t point, double seconds) {
  states_[point].lower_bound_s = seconds;
  save(bound_line(point, seconds));
}

void SweepLedger::replica(std::size_t point, int replica, double seconds) {
  states_[point].replicas[replica] = seconds;
  save(replica_line(point, replica, seconds));
}

void SweepLedger::replica_error(std::size_t point, int replica, const std::string& text) {
  states_[point].replica_errors[replica] = text;
  save(replica_error_line(point, replica, text));
}

void SweepLedger::limit_here(std::size_t point, const std::string& why) { troubles_[point] = why; }

void SweepLedger::failure(std::size_t point, const std::string& why) {
  troubles_.try_emplace(point, why);
  failed_ = true;
}

std::string SweepLedger::in_child(const std::function<std::string()>& work) const {
  if (store_ != nullptr) store_->leave_to_parent();
  return work();
}

std::string SweepLedger::label(std::size_t point) const {
  const SpacePoint at = place(point);
  std::string label;
  for (std::size_t i = 0; i < at.values.size(); ++i)
    if (const SpaceDimension& dimension = inputs_.space.dimensions[i]; dimension.values.size() > 1)
      label += (dimension.option == "batch" ? "batch " : "") + printable(at.values[i]) + " ";
  return label + to_string(at.grid);
}

void SweepLedger::save(const std::string& line) {
  if (store_ == nullptr) return;
  store_->append(line);
  const std::string& trouble = store_->trouble();
  if (!trouble.empty() && trouble != told_)
    std::fprintf(stderr, "simtrain: warning: results cannot be written: %s; trying again as more come in\n",
                 trouble.c_str());
  told_ = trouble;
}

}  // namespace simtrain
