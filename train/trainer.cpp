#include "train/trainer.hpp"

#include <mpi.h>

#include <algorithm>

#include "train/halo_exchange.hpp"
#include "train/phase_log.hpp"
#include "train/rank_trace.hpp"
#include "train/trainer_overlap.hpp"

namespace simtrain {

Trainer::Trainer(const Plan& plan, Coordinates me, Kernels& kernels, Collectives& collectives, const Dataset& data,
                 const TrainerOptions& options)
    : plan_(plan),
      me_(me),
      kernels_(kernels),
      collectives_(collectives),
      data_(data),
      options_(options),
      order_(data.size(), options.shuffled, options.seed) {
  if (std::any_of(plan.steps.begin(), plan.steps.end(),
                  [](const Step& step) { return std::holds_alternative<HaloStep>(step); }))
    halos_ = std::make_unique<HaloExchange>(plan.options.grid.rank(me));
  if (options_.trace != nullptr) watch(*options_.trace);
  allocate();
  set_initial_weights();
}

Trainer::~Trainer() = default;

void Trainer::watch(RankTrace& trace) {
  kernels_.watch([&trace](Account account, Interval when) { trace.computed(account, when); });
  collectives_.watch(&trace);
  if (halos_) halos_->watch(&trace);
}

void Trainer::set_initial_weights() {
  for (int row = 0; row < static_cast<int>(plan_.weights.size()); ++row) {
    const int tensor = plan_.weights[static_cast<std::size_t>(row)];
    const Range own = plan_.range({tensor, View::weights}, me_);
    const Layer& layer =
        plan_.network.layers[static_cast<std::size_t>(plan_.report_layers[static_cast<std::size_t>(row)])];
    const std::int64_t all_columns = layer.inputs_per_row();
    const TensorPlan& weights = plan_.tensors[static_cast<std::size_t>(tensor)];
    const int part = plan_.on(weights.grid, me_).row;
    const bool by_columns = weights.by_columns();
    const std::int64_t first_row = by_columns ? 0 : weights.rows.offset(part);
    const std::int64_t first_column = by_columns ? weights.columns.offset(part) : 0;
    const std::int64_t columns = by_columns ? weights.columns.length(part) : all_columns;
    kernels_.fill(buffer(tensor).slice(own.offset, own.count), [&](std::int64_t i) {
      return initial_weight(options_.seed, row, first_row + i / columns, first_column + i % columns, all_columns);
    });
    if (!layer.normalised) continue;  // scales start at 1, shifts and biases at 0
    const Range normalisation = plan_.range({tensor, View::normalisation}, me_);
    kernels_.fill(buffer(tensor).slice(normalisation.offset, normalisation.count / 2),
                  [](std::int64_t) { return 1.0F; });
  }
}

void Trainer::allocate() {
  memory_.resize(plan_.tensors.size());
  std::vector<std::int64_t> slot_floats(static_cast<std::size_t>(plan_.slots));
  for (std::size_t i = 0; i < memory_.size(); ++i)
    if (const int slot = plan_.tensors[i].slot; slot >= 0)
      slot_floats[static_cast<std::size_t>(slot)] =
          std::max(slot_floats[static_cast<std::size_t>(slot)], plan_.floats(static_cast<int>(i), me_));
  std::vector<float*> slots;
  for (const std::int64_t floats : slot_floats) slots.push_back(kernels_.allocate(floats).data);
  for (const Bucket& bucket : plan_.buckets) {
    std::int64_t floats = 0;
    for (const int tensor : bucket.tensors) floats += plan_.floats(tensor, me_);
    float* next = kernels_.allocate(floats).data;
    for (const int tensor : bucket.tensors) {
      memory_[static_cast<std::size_t>(tensor)] = next;
      next += plan_.floats(tensor, me_);
    }
  }
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (memory_[i] != nullptr) continue;  // in a bucket
    const int slot = plan_.tensors[i].slot;
    memory_[i] = slot >= 0 ? slots[static_cast<std::size_t>(slot)]
                           : kernels_.allocate(plan_.floats(static_cast<int>(i), me_)).data;
  }
  const ScratchFloats scratch = scratch_of(plan_, me_);
  workspace_ = kernels_.allocate(scratch.workspace);
  scratch_ = kernels_.allocate(scratch.exchange);
  if (plan_.options.overlap.any()) prepare_overlap(scratch.background);
}

RankResult Trainer::run(int warm_up, int iterations, const std::function<void(int)>& after_each) {
  RankResult result{.at = me_, .iteration_seconds = {}, .work_s = {}, .exchanges = {}, .loss_sums = {}};
  result.iteration_seconds.reserve(static_cast<std::size_t>(iterations));
  result.loss_sums.reserve(static_cast<std::size_t>(warm_up + iterations));
  for (int i = 0; i < warm_up + iterations; ++i) {
    start_exchanges();
    kernels_.reset_accounts();
    load_batch(data_, [&](std::int64_t place) { return order_.at(iteration_ * plan_.options.batch + place); });
    const double begin = MPI_Wtime();
    if (options_.trace != nullptr) options_.trace->begin(i < warm_up ? -1 : timed_, begin);
    iterate();
    if (options_.trace != nullptr) options_.trace->end(MPI_Wtime());
    if (i >= warm_up) {
      result.iteration_seconds.push_back(MPI_Wtime() - begin);
      book(result, begin);
    }
    if (const auto loss = kernels_.read(buffer(plan_.loss)); !loss.empty())
      result.loss_sums.push_back(static_cast<double>(loss[0]));
    ++iteration_;
    if (after_each) after_each(i + 1);
  }
  size_totals(result);
  return result;
}

Range Trainer::places(int tensor) const {
  const Grid grid = plan_.grid_of(tensor);
  const int column = plan_.on(grid, me_).column;
  return {plan_.samples(grid).offset(column), plan_.samples(grid).length(column)};
}

// The input's layout is [channels][samples][pixels], of a strip those of its lines. Labels may be of other samples than
// the input: they are on the grids of the last and of the first layer.
template <typename Sample>
void Trainer::load_batch(const Dataset& data, const Sample& sample) {
  const std::span<float> labels = kernels_.write(buffer(plan_.labels));
  const std::span<float> input = kernels_.write(buffer(plan_.input));
  if (labels.empty()) return;  // phantoms
  const Range of_labels = places(plan_.labels), of_input = places(plan_.input);
  // Of each channel all pixels, or those of the rank's strip.
  const TensorPlan& planned = plan_.tensors[static_cast<std::size_t>(plan_.input)];
  const std::int64_t image_pixels = plan_.network.input.pixels();
  Lines lines{0, plan_.network.input.height};
  if (planned.in_strips()) lines = planned.strips.of(plan_.on(planned.grid, me_).row);
  const std::int64_t first_pixel = lines.first * plan_.network.input.width;
  const auto pixels = static_cast<std::size_t>(lines.count * plan_.network.input.width);
  const auto samples = static_cast<std::size_t>(of_input.count);
  // Place by place, since going back in the order of the samples may cost a shuffle.
  const auto end = [](Range range) { return range.offset + range.count; };
  for (std::int64_t place = std::min(of_labels.offset, of_input.offset);
       place < std::max(end(of_labels), end(of_input)); ++place) {
    const bool label = place >= of_labels.offset && place < end(of_labels);
    const bool values = place >= of_input.offset && place < end(of_input);
    if (!label && !values) continue;
    const std::int64_t chosen = sample(place);
    if (label) labels[static_cast<std::size_t>(place - of_labels.offset)] = static_cast<float>(data.label(chosen));
    if (!values) continue;
    const auto i = static_cast<std::size_t>(place - of_input.offset);
    for (std::size_t channel = 0; channel * samples * pixels < input.size(); ++channel)
      data.read(chosen, static_cast<std::int64_t>(channel) * image_pixels + first_pixel,
                input.subspan((channel * samples + i) * pixels, pixels));
  }
}

namespace {

// Samples whose label has the largest logit; logits are classes x samples, of which the first `count` matter.
std::int64_t count_correct(std::span<const float> logits, std::span<const float> labels, std::int64_t count) {
  const std::size_t samples = labels.size();
  std::int64_t correct = 0;
  for (std::size_t s = 0; s < static_cast<std::size_t>(count); ++s) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < logits.size() / samples; ++c)
      if (logits[c * samples + s] > logits[best * samples + s]) best = c;
    correct += static_cast<float>(best) == labels[s] ? 1 : 0;
  }
  return correct;
}

}  // namespace

Trainer::Evaluation Trainer::evaluate(const Dataset& data) {
  Evaluation evaluation;
  evaluating_ = true;
  const std::int64_t batch = plan_.options.batch, first = places(plan_.labels).offset;
  for (std::int64_t done = 0; done < data.size(); done += batch) {
    // The last batch is filled up with samples that are not counted.
    load_batch(data, [&](std::int64_t place) { return (done + place) % data.size(); });
    for (const Step& step : plan_.steps) {
      std::visit([this](const auto& s) { execute(s); }, step);
      const auto* compute = std::get_if<ComputeStep>(&step);
      if (compute == nullptr || compute->action != Action::loss) continue;
      const auto logits = kernels_.read(operand(compute->operands[0]));
      const auto labels = kernels_.read(operand(compute->operands[1]));
      const auto mine = static_cast<std::int64_t>(labels.size());
      const std::int64_t count = std::clamp<std::int64_t>(data.size() - done - first, 0, mine);
      evaluation.samples += count;
      evaluation.correct += count_correct(logits, labels, count);
      break;
    }
  }
  evaluating_ = false;
  return evaluation;
}

void Trainer::iterate() {
  for (const Step& step : plan_.steps) std::visit([this](const auto& s) { execute(s); }, step);
  kernels_.wait(last_);
}

Buffer Trainer::operand(TensorRef ref) const {
  if (ref.view == View::none) return {};
  const Range range = plan_.range(ref, me_);
  return buffer(ref.tensor).slice(range.offset, range.count);
}

void Trainer::execute(const ComputeStep& step) {
  Operands operands;
  for (std::size_t i = 0; i < step.operands.size(); ++i) operands[i] = operand(step.operands[i]);
  Operation operation = plan_.operation(step, me_);
  if (auto* dropout = std::get_if<Dropout>(&operation)) {
    dropout->iteration = iteration_;
    if (evaluating_) dropout->probability = 0;
  }
  if (auto* update = std::get_if<Update>(&operation)) {
    const std::int64_t per_epoch = std::max<std::int64_t>(1, data_.size() / plan_.options.batch);
    update->learning_rate *=
        static_cast<float>(options_.schedule.factor(iteration_, per_epoch, options_.total_iterations));
  }
  if (std::holds_alternative<Convolution>(operation)) operands[3] = workspace_;
  last_ = kernels_.enqueue(operation, operands, account_of(step.row, step.work));
  if (overlapping_) come_by();
}

// Not before the first timed iteration is done: thousands of simulated ranks that run only one would hold them all the
// while.
void Trainer::size_totals(RankResult& result) const {
  result.work_s.resize(plan_.report_layers.size());
  result.exchanges.resize(plan_.report_layers.size());
}

void Trainer::book(RankResult& result, double begin_s) {
  size_totals(result);
  const auto note = [&](int row, int phase, double seconds, Interval on_clock) {
    if (options_.phases == nullptr || !options_.phases->has(row, phase)) return;
    // A thread that computes has a clock of its own, which may be off by what MPI's rounds to.
    const Interval since_begin{std::max(0.0, on_clock.begin_s - begin_s), std::max(0.0, on_clock.end_s - begin_s)};
    options_.phases->add(timed_, row, phase, seconds, since_begin);
  };
  for (int row = 0; row < static_cast<int>(plan_.report_layers.size()); ++row) {
    const auto at = static_cast<std::size_t>(row);
    for (int kind = 0; kind < kWorks; ++kind) {
      const auto work = static_cast<Work>(kind);
      const double busy_s = kernels_.busy_s(account_of(row, work));
      result.work_s[at][static_cast<std::size_t>(kind)] += busy_s;
      if (work <= Work::update) note(row, phase_of(work), busy_s, kernels_.interval(account_of(row, work)));
    }
  }
  for (const RunningExchange& one : running_) {
    result.exchanges[static_cast<std::size_t>(one.row)][static_cast<std::size_t>(one.what)].add(one.exchange);
    note(one.row, phase_of(one.what), one.exchange.seconds, one.interval);
  }
  ++timed_;
}

std::span<const float> Trainer::parameters(int report_row) {
  return kernels_.read(buffer(plan_.weights[static_cast<std::size_t>(report_row)]));
}

std::span<const float> Trainer::gradients(int report_row) {
  for (const Step& step : plan_.steps)
    if (const auto* compute = std::get_if<ComputeStep>(&step);
        compute != nullptr && compute->action == Action::update && compute->row == report_row)
      return kernels_.read(operand(compute->operands[0]));
  return {};
}

}  // namespace simtrain
