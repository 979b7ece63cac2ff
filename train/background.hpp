// Collectives in the background of a rank: one after the other, in the order in which they were begun.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "train/collective.hpp"
#include "train/running_collective.hpp"

namespace simtrain {

struct BackgroundJob {
  CollectiveOp operation;
  Algorithm algorithm;
  Group group;
  Buffer data;  // nobody touches it until finish() has returned for the job
  Partition blocks;
  Account additions;
  Event after;  // when the data are there
};

// When it was under way: from its first message on, not while it waited for others before it.
struct BackgroundOutcome {
  double begin_s = 0, end_s = 0;
  double attended_s = 0;  // the rank's own time that it took meanwhile, outside finish()
  CollectiveTraffic traffic;
};

class Background {
 public:
  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  virtual ~Background() = default;

  // Before the first job. `adder` makes the additions. `scratch`: enough for any job, and for nobody else.
  // `most_jobs`: that are begun and not finished. All must outlive it.
  virtual void prepare(Kernels& kernels, Kernels& adder, Buffer scratch, std::size_t most_jobs) = 0;
  // Every member of the job's group begins it, in the same order. Returns at once, or when the data are there.
  virtual void begin(const BackgroundJob& job) = 0;
  // Whether it gets on without advance().
  [[nodiscard]] virtual bool by_itself() const = 0;
  // Gets on as far as it can without waiting. True: nothing is left to do.
  virtual bool advance() = 0;
  // Returns when the oldest job is done that it has not returned for.
  virtual BackgroundOutcome finish() = 0;
};

// Gets on when its rank comes by. Non-blocking messages with a tag of their own; the additions take the rank's time.
class PolledBackground final : public Background {
 public:
  explicit PolledBackground(Collectives& collectives) : collectives_(collectives) {}

  void prepare(Kernels& kernels, Kernels& adder, Buffer scratch, std::size_t most_jobs) override;
  // Posts the first round if the data are there and no other job is before it.
  void begin(const BackgroundJob& job) override;
  [[nodiscard]] bool by_itself() const override { return false; }
  bool advance() override;
  BackgroundOutcome finish() override;

 private:
  struct Entry {
    BackgroundJob job;
    BackgroundOutcome outcome;
  };
  Entry& entry(std::uint64_t number) { return entries_[number % entries_.size()]; }
  // Starts the next job if its data are there; false: there is none, or they are not.
  bool start_next();
  void note_end();

  Collectives& collectives_;
  Kernels* kernels_ = nullptr;
  Kernels* adder_ = nullptr;
  Buffer scratch_;
  std::vector<Entry> entries_;
  std::uint64_t begun_ = 0, ended_ = 0, finished_ = 0;  // jobs, ever
  bool started_ = false;                                // job number ended_
  RunningCollective running_;
};

}  // namespace simtrain
