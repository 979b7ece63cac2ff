#include "train/trainer.hpp"

#include <mpi.h>

#include <algorithm>

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
  allocate();
  set_initial_weights();
}

void Trainer::set_initial_weights() {
  for (int row = 0; row < static_cast<int>(plan_.weights.size()); ++row) {
    const int tensor = plan_.weights[static_cast<std::size_t>(row)];
    const Range own = plan_.range({tensor, View::weights}, me_);
    const Layer& layer =
        plan_.network.layers[static_cast<std::size_t>(plan_.report_layers[static_cast<std::size_t>(row)])];
    const std::int64_t columns = layer.inputs_per_row();
    const std::int64_t first_row = plan_.tensors[static_cast<std::size_t>(tensor)].rows.offset(me_.row);
    kernels_.fill(buffer(tensor).slice(own.offset, own.count), [&](std::int64_t i) {
      return initial_weight(options_.seed, row, first_row + i / columns, i % columns, columns);
    });
    if (!layer.normalised) continue;  // scales start at 1, shifts and biases at 0
    const Range normalisation = plan_.range({tensor, View::normalisation}, me_);
    kernels_.fill(buffer(tensor).slice(normalisation.offset, normalisation.count / 2),
                  [](std::int64_t) { return 1.0F; });
  }
}

void Trainer::allocate() {
  buffers_.resize(plan_.tensors.size());
  std::vector<std::int64_t> slot_floats(static_cast<std::size_t>(plan_.slots));
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (const int slot = plan_.tensors[i].slot; slot >= 0)
      slot_floats[static_cast<std::size_t>(slot)] =
          std::max(slot_floats[static_cast<std::size_t>(slot)], plan_.floats(static_cast<int>(i), me_));
  std::vector<Buffer> slots;
  for (const std::int64_t floats : slot_floats) slots.push_back(kernels_.allocate(floats));
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const std::int64_t floats = plan_.floats(static_cast<int>(i), me_);
    const int slot = plan_.tensors[i].slot;
    buffers_[i] = slot >= 0 ? slots[static_cast<std::size_t>(slot)].slice(0, floats) : kernels_.allocate(floats);
  }
  const ScratchFloats scratch = scratch_of(plan_, me_);
  workspace_ = kernels_.allocate(scratch.workspace);
  reduction_ = kernels_.allocate(scratch.reduction);
}

RankResult Trainer::run(int warm_up, int iterations, const std::function<void(int)>& after_each) {
  RankResult result{.at = me_, .iteration_seconds = {}, .work_s = {}, .exchanges = {}, .loss_sums = {}};
  result.iteration_seconds.reserve(static_cast<std::size_t>(iterations));
  result.loss_sums.reserve(static_cast<std::size_t>(warm_up + iterations));
  for (int i = 0; i < warm_up + iterations; ++i) {
    if (i == 0 || i == warm_up) {
      kernels_.reset_accounts();
      exchanges_.assign(plan_.report_layers.size() * kExchanges, {});
    }
    load_batch(data_, [&](std::int64_t place) { return order_.at(iteration_ * plan_.options.batch + place); });
    const double begin = MPI_Wtime();
    iterate();
    if (i >= warm_up) result.iteration_seconds.push_back(MPI_Wtime() - begin);
    if (const auto loss = kernels_.read(buffer(plan_.loss)); !loss.empty())
      result.loss_sums.push_back(static_cast<double>(loss[0]));
    ++iteration_;
    if (after_each) after_each(i + 1);
  }
  collect_accounts(result);
  return result;
}

// The input's layout is [channels][samples][pixels].
void Trainer::load_batch(const Dataset& data, const std::function<std::int64_t(std::int64_t)>& sample) {
  const std::int64_t samples = plan_.samples.length(me_.column), pixels = plan_.network.input.pixels();
  const std::int64_t first = plan_.samples.offset(me_.column);
  std::vector<std::int64_t> chosen;
  kernels_.fill(buffer(plan_.labels), [&](std::int64_t i) {
    chosen.push_back(sample(first + i));
    return static_cast<float>(data.label(chosen.back()));
  });
  kernels_.fill(buffer(plan_.input), [&](std::int64_t i) {
    const std::int64_t channel = i / (samples * pixels);
    return data.value(chosen[static_cast<std::size_t>(i / pixels % samples)], channel * pixels + i % pixels);
  });
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
  const std::int64_t batch = plan_.options.batch, first = plan_.samples.offset(me_.column);
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
  return buffers_[static_cast<std::size_t>(ref.tensor)].slice(range.offset, range.count);
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
}

// Messages leave and arrive in buffers that operations write and read: nothing may be unfinished.
void Trainer::execute(const CollectiveStep& step) {
  kernels_.wait(last_);
  const Work additions = step.exchange == Exchange::reduce_data ? Work::data_additions : Work::weight_additions;
  const auto scope = step.over_grid_column() ? Collectives::Scope::grid_column : Collectives::Scope::grid_row;
  const double begin = MPI_Wtime();
  const CollectiveTraffic traffic =
      collectives_.run(step.operation, step.algorithm, scope, buffers_[static_cast<std::size_t>(step.tensor)],
                       plan_.blocks(step, me_), reduction_, kernels_, account_of(step.row, additions));
  RankExchange& exchange =
      exchanges_[static_cast<std::size_t>(step.row) * kExchanges + static_cast<std::size_t>(step.exchange)];
  exchange.seconds += MPI_Wtime() - begin;
  exchange.bytes_sent += static_cast<double>(traffic.bytes_sent);
  exchange.messages += static_cast<double>(traffic.messages);
}

void Trainer::collect_accounts(RankResult& result) const {
  for (int row = 0; row < static_cast<int>(plan_.report_layers.size()); ++row) {
    auto& work = result.work_s.emplace_back();
    for (int kind = 0; kind < kWorks; ++kind)
      work[static_cast<std::size_t>(kind)] = kernels_.busy_s(account_of(row, static_cast<Work>(kind)));
    auto& exchanges = result.exchanges.emplace_back();
    for (int kind = 0; kind < kExchanges; ++kind)
      exchanges[static_cast<std::size_t>(kind)] = exchanges_[static_cast<std::size_t>(row * kExchanges + kind)];
  }
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
