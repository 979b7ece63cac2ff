#include "train/plan_overlap.hpp"

#include <algorithm>

namespace simtrain {

namespace {

bool reduces_weights(const Step& step) {
  const auto* collective = std::get_if<CollectiveStep>(&step);
  return collective != nullptr && collective->exchange == Exchange::reduce_weights;
}

bool touches(const Step& step, int tensor) {
  const auto* compute = std::get_if<ComputeStep>(&step);
  return compute != nullptr && std::any_of(compute->operands.begin(), compute->operands.end(),
                                           [&](TensorRef operand) { return operand.tensor == tensor; });
}

// Begins collectives right after what they work on is there, if something is computed until they are needed. Never
// before the communication in front of them has ended: it is the order of messages between two ranks that matches them.
void begin_early(Plan& plan) {
  std::vector<Step> steps;
  std::size_t free_from = 0;  // in `steps`: after the last communication
  for (const Step& step : plan.steps) {
    const auto* collective = std::get_if<CollectiveStep>(&step);
    if (collective == nullptr || collective->exchange == Exchange::reduce_weights) {
      steps.push_back(step);
      if (std::holds_alternative<RedistributeStep>(step) || std::holds_alternative<HaloStep>(step))
        free_from = steps.size();
      continue;
    }
    std::size_t begin = steps.size();
    while (begin > free_from && !touches(steps[begin - 1], collective->tensor)) --begin;
    const auto from = steps.begin() + static_cast<std::ptrdiff_t>(begin);
    const bool hides = std::any_of(from, steps.end(),
                                   [](const Step& between) { return std::holds_alternative<ComputeStep>(between); });
    // The library has no all-gather of ours that runs in the background.
    if (hides && (collective->algorithm != Algorithm::mpi || collective->operation == CollectiveOp::all_reduce)) {
      CollectiveStep early = *collective;
      early.course = Course::beside;
      steps.insert(from, early);
      steps.emplace_back(WaitStep{Course::beside});
    } else {
      steps.push_back(step);
    }
    free_from = steps.size();
  }
  plan.steps = std::move(steps);
}

double bytes_of(const Plan& plan, int tensor) { return sizeof(float) * static_cast<double>(plan.floats(tensor, {})); }

// By all-reduce of weight gradients, in the order of the plan: the bucket that it joins.
std::vector<int> fill_buckets(Plan& plan) {
  std::vector<int> bucket_of;
  double bytes = 0;
  for (const Step& step : plan.steps) {
    if (!reduces_weights(step)) continue;
    const auto& collective = std::get<CollectiveStep>(step);
    const double more = bytes_of(plan, collective.tensor);
    const bool joins = !plan.buckets.empty() &&
                       plan.grid_of(plan.buckets.back().tensors.back()) == plan.grid_of(collective.tensor) &&
                       bytes + more <= static_cast<double>(plan.options.overlap.bucket_bytes);
    if (!joins) plan.buckets.emplace_back();
    bytes = joins ? bytes + more : more;
    plan.buckets.back().tensors.push_back(collective.tensor);
    plan.buckets.back().rows.push_back(collective.row);
    bucket_of.push_back(static_cast<int>(plan.buckets.size()) - 1);
  }
  return bucket_of;
}

CollectiveStep all_reduce_of(const Plan& plan, int number, CollectiveStep step) {
  const Bucket& bucket = plan.buckets[static_cast<std::size_t>(number)];
  step.row = bucket.rows.front();
  step.tensor = bucket.tensors.front();
  step.course = Course::background;
  step.bucket = number;
  const std::int64_t bytes = plan.blocks(step, {}).size() * static_cast<std::int64_t>(sizeof(float));
  step.algorithm = resolve(plan.options.algorithm, step.operation, plan.group(step, {}).size, bytes);
  return step;
}

// A bucket is all-reduced from where the last of its gradients is there. Waiting for it, and the updates that need it,
// come at the end, bucket by bucket: those of one while the next one is on its way.
void put_into_background(Plan& plan) {
  const std::vector<int> bucket_of = fill_buckets(plan);
  std::vector<Step> steps;
  std::vector<std::vector<Step>> updates(plan.buckets.size());
  std::size_t next = 0;  // all-reduce
  const auto bucket_of_row = [&](int row) {
    for (std::size_t i = 0; i < plan.buckets.size(); ++i)
      for (const int each : plan.buckets[i].rows)
        if (each == row) return static_cast<int>(i);
    return -1;  // nobody to share it with
  };
  for (const Step& step : plan.steps) {
    const auto* compute = std::get_if<ComputeStep>(&step);
    if (reduces_weights(step)) {
      const int bucket = bucket_of[next++];
      if (next == bucket_of.size() || bucket_of[next] != bucket)
        steps.emplace_back(all_reduce_of(plan, bucket, std::get<CollectiveStep>(step)));
    } else if (const int bucket =
                   compute != nullptr && compute->work == Work::update ? bucket_of_row(compute->row) : -1;
               bucket >= 0) {
      updates[static_cast<std::size_t>(bucket)].push_back(step);
    } else {
      steps.push_back(step);
    }
  }
  for (const std::vector<Step>& of_bucket : updates) {
    steps.emplace_back(WaitStep{Course::background});
    steps.insert(steps.end(), of_bucket.begin(), of_bucket.end());
  }
  plan.steps = std::move(steps);
}

}  // namespace

void overlap_communication(Plan& plan) {
  if (!plan.options.overlap.any()) return;
  if (plan.options.overlap.overlap == Overlap::all) begin_early(plan);
  put_into_background(plan);
}

}  // namespace simtrain
