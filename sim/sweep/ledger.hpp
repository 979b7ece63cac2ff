// What is known of a sweep's points while it runs, on the disk too where there is a results file.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "sim/engine/workers.hpp"
#include "sim/sweep/results.hpp"

namespace simtrain {

class ResultsStore;  // sim/sweep/store.hpp

class SweepLedger {
 public:
  // `store` may be null; it must outlive the ledger, which begins with what is in it.
  SweepLedger(const SweepInputs& inputs, ResultsStore* store);

  [[nodiscard]] const SweepInputs& inputs() const { return inputs_; }
  [[nodiscard]] const PointStates& states() const { return states_; }
  [[nodiscard]] const PointState& state(std::size_t point) { return states_[point]; }
  // Why points have no result now, and may have one another time.
  [[nodiscard]] const std::map<std::size_t, std::string>& troubles() const { return troubles_; }
  [[nodiscard]] bool failed() const { return failed_; }  // a simulation did, or its process was killed

  // Each returns when it is on the disk, or a warning was given that it could not be written (stderr).
  void result(std::size_t point, const std::string& json);
  void error(std::size_t point, const std::string& text);
  void skipped(std::size_t point);
  void lower_bound(std::size_t point, double seconds);
  void replica(std::size_t point, int replica, double seconds);
  void replica_error(std::size_t point, int replica, const std::string& text);
  // Not on the disk: it is to be tried again.
  void limit_here(std::size_t point, const std::string& why);
  void failure(std::size_t point, const std::string& why);

  // For tasks in child processes: the lock on the results is the parent's.
  [[nodiscard]] std::string in_child(const std::function<std::string()>& work) const;

  [[nodiscard]] SpacePoint place(std::size_t point) const { return inputs_.space.point(point); }
  // "fat-tree.xml 32x8": for lines of a log.
  [[nodiscard]] std::string label(std::size_t point) const;

 private:
  void save(const std::string& line);

  const SweepInputs& inputs_;
  ResultsStore* store_;
  PointStates states_;
  std::map<std::size_t, std::string> troubles_;
  bool failed_ = false;
  std::string told_;  // the trouble with the disk that was told last
};

}  // namespace simtrain
