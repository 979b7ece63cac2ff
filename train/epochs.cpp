#include "train/epochs.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>

#include "base/progress_line.hpp"
#include "base/units.hpp"

namespace simtrain {

namespace {

// Only rank 0 speaks. On a terminal a bar is drawn over and over on one line, at most once for each percent; elsewhere,
// as under mpirun, which passes on what its ranks write, a line tells every ten seconds.
class TrainingBar {
 public:
  TrainingBar(std::int64_t total, bool speaks) : total_(total), speaks_(speaks), told_s_(MPI_Wtime()) {}

  void advance(std::int64_t done) {
    constexpr double kSeconds = 10;
    if (speaks_ && !line_.on_terminal() && done < total_ && MPI_Wtime() - told_s_ >= kSeconds) {
      told_s_ = MPI_Wtime();
      std::fprintf(stderr, "iteration %lld of %lld (%lld %%)\n", static_cast<long long>(done),
                   static_cast<long long>(total_), static_cast<long long>(100 * done / total_));
    }
    const int percent = static_cast<int>(100 * done / total_);
    if (!speaks_ || percent == shown_) return;
    shown_ = percent;
    const std::string filled(static_cast<std::size_t>(percent) / 4, '#');
    line_.show("[" + filled + std::string(25 - filled.size(), ' ') + "] " + std::to_string(percent) + " %  iteration " +
               std::to_string(done) + " of " + std::to_string(total_));
    if (done == total_) line_.erase();
  }

 private:
  std::int64_t total_;
  bool speaks_;
  double told_s_;
  ProgressLine line_;
  int shown_ = -1;
};

double sum_over_ranks(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

double largest_over_ranks(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

// The ranks of a grid column hold the same samples: the first of them counts.
double sum_over_columns(double value, Coordinates me) { return sum_over_ranks(me.row == 0 ? value : 0); }

void append(RankResult& all, const RankResult& more) {
  all.iteration_seconds.insert(all.iteration_seconds.end(), more.iteration_seconds.begin(),
                               more.iteration_seconds.end());
  all.loss_sums.insert(all.loss_sums.end(), more.loss_sums.begin(), more.loss_sums.end());
  for (std::size_t row = 0; row < more.work_s.size(); ++row) {
    for (std::size_t i = 0; i < kWorks; ++i) all.work_s[row][i] += more.work_s[row][i];
    for (std::size_t i = 0; i < kExchanges; ++i) all.exchanges[row][i].add(more.exchanges[row][i]);
  }
}

EpochResult summarise(const Job& job, const RankResult& part, const Trainer::Evaluation& test, Coordinates me) {
  EpochResult epoch;
  const auto samples = static_cast<double>(part.loss_sums.size()) * static_cast<double>(job.plan.batch);
  epoch.loss = sum_over_columns(std::accumulate(part.loss_sums.begin(), part.loss_sums.end(), 0.0), me) / samples;
  const double seconds = std::accumulate(part.iteration_seconds.begin(), part.iteration_seconds.end(), 0.0);
  epoch.seconds = largest_over_ranks(seconds);
  const auto timed = static_cast<double>(part.iteration_seconds.size()) * static_cast<double>(job.plan.batch);
  epoch.images_per_s = epoch.seconds > 0 ? timed / epoch.seconds : 0;  // all of it may have been warm-up
  const double counted = sum_over_columns(static_cast<double>(test.samples), me);
  const double correct = sum_over_columns(static_cast<double>(test.correct), me);
  if (counted > 0) epoch.test_accuracy = correct / counted;
  return epoch;
}

void speak(int number, int of, const EpochResult& epoch) {
  std::fprintf(stderr, "epoch %d of %d: loss %.4f%s, %s images/s\n", number, of, epoch.loss,
               epoch.test_accuracy ? (", test accuracy " + format_percent(*epoch.test_accuracy)).c_str() : "",
               format_count(epoch.images_per_s).c_str());
}

}  // namespace

TrainingRun train_job(const Job& job, Trainer& trainer, Coordinates me) {
  TrainingRun run;
  const std::int64_t total = std::int64_t{job.warm_up} + job.iterations;
  const bool speaks = me == Coordinates{};
  TrainingBar progress(total, speaks);
  const int parts = std::max(1, job.epochs);
  std::int64_t done = 0, warm_up_left = job.warm_up;
  for (int part = 1; part <= parts; ++part) {
    const std::int64_t end = job.epochs == 0 ? total : part * job.training_data->size() / job.plan.batch;
    const auto warm_up = static_cast<int>(std::min(warm_up_left, end - done));
    const auto iterations = static_cast<int>(end - done) - warm_up;
    warm_up_left -= warm_up;
    const RankResult result = trainer.run(warm_up, iterations, [&](int within) { progress.advance(done + within); });
    done = end;
    if (part == 1)
      run.rank = result;
    else
      append(run.rank, result);
    if (job.epochs == 0) break;
    const Trainer::Evaluation test = job.test_data ? trainer.evaluate(*job.test_data) : Trainer::Evaluation{};
    run.epochs.push_back(summarise(job, result, test, me));
    if (speaks) speak(part, job.epochs, run.epochs.back());
  }
  return run;
}

}  // namespace simtrain
