// What a trainer communicates, and how that runs beside what it computes.
#include <mpi.h>

#include <algorithm>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "train/halo_exchange.hpp"
#include "train/phase_log.hpp"
#include "train/rank_trace.hpp"
#include "train/trainer_overlap.hpp"

namespace simtrain {

void Trainer::prepare_overlap(std::int64_t scratch_floats) {
  overlapping_ = std::make_unique<Overlapping>(kernels_, collectives_);
  Overlapping& overlapping = *overlapping_;
  overlapping.progress = plan_.options.overlap.progress;
  if (options_.background != nullptr) overlapping.background = options_.background;
  const bool ideal = overlapping.progress == Progress::ideal;
  overlapping.background->prepare(kernels_, ideal ? overlapping.additions_beside : kernels_,
                                  kernels_.allocate(scratch_floats), plan_.buckets.size());
  for (const Step& step : plan_.steps)
    if (const auto* collective = std::get_if<CollectiveStep>(&step);
        collective != nullptr && collective->course == Course::background)
      overlapping.steps.push_back(collective);
}

namespace {

Work additions_of(const CollectiveStep& step) {
  if (step.exchange == Exchange::reduce_data) return Work::data_additions;
  return step.exchange == Exchange::reduce_output ? Work::output_additions : Work::weight_additions;
}

}  // namespace

// Messages leave and arrive in buffers that operations write and read: nothing may be unfinished.
void Trainer::execute(const CollectiveStep& step) {
  if (step.course == Course::background) return begin_in_background(step);
  if (step.course == Course::beside) return begin_beside(step);
  wait_for(last_);
  const double begin_s = MPI_Wtime();
  const CollectiveTraffic traffic = communicate(step);
  const double end_s = MPI_Wtime();
  note(step.row, step.exchange, {begin_s, end_s}, end_s - begin_s, traffic);
}

CollectiveTraffic Trainer::communicate(const CollectiveStep& step) {
  const Group group = plan_.group(step, me_);
  const Account account = account_of(step.row, additions_of(step));
  const bool beside = overlapping_ && overlapping_->progress == Progress::ideal;
  Kernels& adder = beside ? overlapping_->additions_beside : kernels_;
  if (!overlapping_ || !overlapping_->must_be_polled() || step.algorithm == Algorithm::mpi)
    return collectives_.run(step.operation, step.algorithm, group, buffer(step.tensor), plan_.blocks(step, me_),
                            scratch_, adder, account);
  RunningCollective& running = overlapping_->running;
  collectives_.start(running, step.operation, step.algorithm, group, buffer(step.tensor), plan_.blocks(step, me_),
                     scratch_, adder, account, kTag);
  while (!running.advance()) {
    overlapping_->background->advance();
    std::this_thread::yield();  // where the thread that computes has the same core
  }
  return running.traffic();
}

void Trainer::execute(const RedistributeStep& step) {
  wait_for(last_);
  const double begin_s = MPI_Wtime();
  const CollectiveTraffic traffic =
      collectives_.redistribute(plan_.redistribution(step), buffer(step.from), buffer(step.to), scratch_, kernels_,
                                account_of(step.row, Work::packing));
  const double end_s = MPI_Wtime();
  note(step.row, Exchange::redistribute, {begin_s, end_s}, end_s - begin_s, traffic);
}

// In between, begin returns and the rank computes: the time of both is what the halo takes.
void Trainer::execute(const HaloStep& step) {
  wait_for(last_);
  const double begin_s = MPI_Wtime();
  const Halo halo = plan_.halo(step);
  const Buffer own = buffer(step.own), extended = buffer(step.extended);
  const Account account = account_of(step.row, Work::packing);
  CollectiveTraffic traffic;
  if (step.stage == HaloStep::Stage::begin)
    traffic = halos_->begin(halo, step.gradient ? extended : own, step.gradient ? own : extended, scratch_, kernels_,
                            account);
  else
    halos_->end(halo, step.gradient ? own : extended, scratch_, kernels_, account);
  const double end_s = MPI_Wtime();
  note(step.row, Exchange::halo, {begin_s, end_s}, end_s - begin_s, traffic);
}

void Trainer::execute(const WaitStep& step) {
  if (step.course == Course::beside)
    end_beside();
  else
    end_oldest_in_background();
}

void Trainer::wait_for(Event event) {
  if (!overlapping_ || !overlapping_->must_be_polled()) return kernels_.wait(event);
  while (!kernels_.done(event)) {
    overlapping_->background->advance();
    std::this_thread::yield();
  }
}

void Trainer::come_by() {
  Overlapping& overlapping = *overlapping_;
  if (overlapping.progress != Progress::polling) return;
  const bool beside = overlapping.running.under_way();
  if (!beside && overlapping.begun == overlapping.ended) return;
  kernels_.wait(last_);
  if (beside) {
    const double begin_s = MPI_Wtime();
    overlapping.running.advance();
    overlapping.beside_attended_s += MPI_Wtime() - begin_s;
  }
  overlapping.background->advance();
}

void Trainer::begin_in_background(const CollectiveStep& step) {
  Overlapping& overlapping = *overlapping_;
  if (overlapping.progress != Progress::ideal) kernels_.wait(last_);
  const Partition blocks = plan_.blocks(step, me_);
  Buffer data = buffer(step.tensor);
  data.count = blocks.size();
  overlapping.background->begin({step.operation, step.algorithm, plan_.group(step, me_), data, blocks,
                                 account_of(step.row, additions_of(step)), last_});
  ++overlapping.begun;
}

double Trainer::exposed_s(double begin_s, double end_s) {
  return end_s - std::clamp(kernels_.idle_since(), begin_s, end_s);
}

// Without ideal progress nothing is computed while a rank waits, and what it did for the collective before, it did
// instead of computing.
void Trainer::end_oldest_in_background() {
  Overlapping& overlapping = *overlapping_;
  const bool ideal = overlapping.progress == Progress::ideal;
  if (ideal)
    kernels_.go_on();
  else
    kernels_.wait(last_);
  const double begin_s = MPI_Wtime();
  const BackgroundOutcome outcome = overlapping.background->finish();
  const double end_s = MPI_Wtime();
  const double exposed = ideal ? exposed_s(begin_s, end_s) : end_s - begin_s + outcome.attended_s;
  // A job may begin only when somebody waits for the one before it.
  const Interval under_way{std::min(outcome.begin_s, outcome.end_s - exposed), outcome.end_s};
  const CollectiveStep& step = *overlapping.steps[overlapping.ended];
  plan_.for_each_share(step, me_, [&](int row, double share) {
    add_share(row, step.exchange, under_way, exposed, outcome.traffic, share);
  });
  if (options_.trace != nullptr)
    options_.trace->exchanged(step.row, step.exchange, under_way, static_cast<double>(outcome.traffic.bytes_sent),
                              Course::background, step.bucket);
  if (++overlapping.ended == overlapping.steps.size()) overlapping.begun = overlapping.ended = 0;
}

void Trainer::begin_beside(const CollectiveStep& step) {
  Overlapping& overlapping = *overlapping_;
  overlapping.beside = &step;
  overlapping.beside_after = last_;
  if (overlapping.progress == Progress::ideal) return;  // when what is computed meanwhile has been enqueued
  kernels_.wait(last_);
  overlapping.beside_begin_s = MPI_Wtime();
  collectives_.start(overlapping.running, step.operation, step.algorithm, plan_.group(step, me_), buffer(step.tensor),
                     plan_.blocks(step, me_), scratch_, kernels_, account_of(step.row, additions_of(step)), kTag);
  overlapping.beside_attended_s = MPI_Wtime() - overlapping.beside_begin_s;
}

void Trainer::end_beside() {
  Overlapping& overlapping = *overlapping_;
  const CollectiveStep& step = *overlapping.beside;
  if (overlapping.progress == Progress::ideal) {
    wait_for(overlapping.beside_after);
    kernels_.go_on();
    const double begin_s = MPI_Wtime();
    const CollectiveTraffic traffic = communicate(step);
    const double end_s = MPI_Wtime();
    note(step.row, step.exchange, {begin_s, end_s}, exposed_s(begin_s, end_s), traffic, Course::beside);
  } else {
    kernels_.wait(last_);
    const double begin_s = MPI_Wtime();
    overlapping.running.finish();
    const double end_s = MPI_Wtime();
    note(step.row, step.exchange, {overlapping.beside_begin_s, end_s}, end_s - begin_s + overlapping.beside_attended_s,
         overlapping.running.traffic(), Course::beside);
  }
  overlapping.beside = nullptr;
}

void Trainer::note(int row, Exchange what, Interval under_way, double exposed_s, const CollectiveTraffic& traffic,
                   Course course) {
  add_share(row, what, under_way, exposed_s, traffic, 1);
  if (options_.trace != nullptr)
    options_.trace->exchanged(row, what, under_way, static_cast<double>(traffic.bytes_sent), course);
}

void Trainer::start_exchanges() {
  if (running_.empty()) {
    std::vector<std::pair<int, Exchange>> kinds;
    for_each_exchange(plan_, [&](int row, Exchange what) {
      if (std::find(kinds.begin(), kinds.end(), std::pair{row, what}) == kinds.end()) kinds.emplace_back(row, what);
    });
    running_.reserve(kinds.size());
    for (const auto& [row, what] : kinds) running_.push_back({row, what, {}, {}});
  }
  for (RunningExchange& one : running_) one = {one.row, one.what, {}, {}};
}

void Trainer::add_share(int row, Exchange what, Interval under_way, double exposed_s, const CollectiveTraffic& traffic,
                        double share) {
  if (running_.empty()) return;  // evaluating before the first iteration
  const auto its = std::find_if(running_.begin(), running_.end(),
                                [&](const RunningExchange& one) { return one.row == row && one.what == what; });
  SIMTRAIN_INVARIANT(its != running_.end(), "row " + std::to_string(row));
  auto& [of_row, kind, exchange, interval] = *its;
  exchange.add({share * (under_way.end_s - under_way.begin_s), share * exposed_s,
                share * static_cast<double>(traffic.bytes_sent), share * static_cast<double>(traffic.messages)});
  if (interval.end_s == 0) interval.begin_s = under_way.begin_s;  // a row may have several of a kind
  interval.end_s = under_way.end_s;
}

}  // namespace simtrain
