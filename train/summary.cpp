#include "train/summary.hpp"

#include <algorithm>
#include <numeric>

namespace simtrain {

namespace {

constexpr std::size_t kPerExchange = 4;  // seconds, bytes, messages, exposed seconds
constexpr std::size_t kPerRow = kWorks + kExchanges * kPerExchange;

constexpr std::size_t work_index(std::size_t row, Work work) { return row * kPerRow + static_cast<std::size_t>(work); }
constexpr std::size_t exchange_index(std::size_t row, Exchange exchange) {
  return row * kPerRow + kWorks + static_cast<std::size_t>(exchange) * kPerExchange;
}

Spread spread_of(const PhaseLog& log, int row, int phase, PhaseLog::Quantity quantity) {
  const PhaseLog::Folded folded = log.folded(row, phase, quantity);
  return {folded.min, folded.mean, folded.max};
}

std::vector<std::optional<PhaseResult>> phases_of(const PhaseLog& log, int row) {
  static_assert(kRowPhases == kPhases);
  std::vector<std::optional<PhaseResult>> phases(kPhases);
  for (int phase = 0; phase < kPhases; ++phase) {
    if (!log.has(row, phase)) continue;
    const Distribution distribution = distribution_of(log.sampled_means(row, phase));
    phases[static_cast<std::size_t>(phase)] =
        PhaseResult{.seconds = spread_of(log, row, phase, PhaseLog::Quantity::seconds),
                    .p5_s = distribution.p5,
                    .median_s = distribution.median,
                    .p95_s = distribution.p95,
                    .begin_s = spread_of(log, row, phase, PhaseLog::Quantity::begin),
                    .end_s = spread_of(log, row, phase, PhaseLog::Quantity::end)};
  }
  return phases;
}

bool drops_out(const Plan& plan) {
  return plan.options.dropout &&
         std::any_of(plan.network.layers.begin(), plan.network.layers.end(),
                     [](const Layer& layer) { return layer.type == LayerType::dropout && layer.probability > 0; });
}

}  // namespace

Summary::Summary(const Plan& plan)
    : plan_(plan),
      totals_(plan.report_layers.size() * kPerRow),
      loss_sums_(static_cast<std::size_t>(plan.grid_of(plan.loss).columns)) {}

void Summary::fold(std::size_t index, double value) {
  Running& total = totals_[index];
  total.min = ranks_ == 0 ? value : std::min(total.min, value);
  total.max = ranks_ == 0 ? value : std::max(total.max, value);
  total.sum += value;
}

void Summary::add(const RankResult& rank) {
  for (std::size_t row = 0; row < rank.work_s.size(); ++row) {
    for (std::size_t kind = 0; kind < kWorks; ++kind) fold(row * kPerRow + kind, rank.work_s[row][kind]);
    for (std::size_t kind = 0; kind < kExchanges; ++kind) {
      const RankExchange& exchange = rank.exchanges[row][kind];
      const std::size_t at = exchange_index(row, static_cast<Exchange>(kind));
      fold(at, exchange.seconds);
      fold(at + 1, exchange.bytes_sent);
      fold(at + 2, exchange.messages);
      fold(at + 3, exchange.exposed_s);
    }
  }
  // A rank that ends an iteration early begins the next one early and waits in it: the longest of one iteration and the
  // longest of the next would count that time twice.
  iteration_ends_.resize(rank.iteration_seconds.size());
  double end_s = 0;
  for (std::size_t i = 0; i < iteration_ends_.size(); ++i) {
    end_s += rank.iteration_seconds[i];
    iteration_ends_[i] = std::max(iteration_ends_[i], end_s);
  }
  const Coordinates at = plan_.on(plan_.grid_of(plan_.loss), rank.at);
  if (at.row == 0) loss_sums_[static_cast<std::size_t>(at.column)] = rank.loss_sums;
  ++ranks_;
}

Spread Summary::spread(std::size_t index, double divisor) const {
  const Running& total = totals_[index];
  return {total.min / divisor, total.sum / (static_cast<double>(ranks_) * divisor), total.max / divisor};
}

CollectiveResult Summary::exchange(int row, Exchange exchange, double iterations) const {
  CollectiveResult result;
  result.algorithm = "none";
  for (const Step& step : plan_.steps)
    if (const auto* collective = std::get_if<CollectiveStep>(&step)) {
      if (!plan_.serves(*collective, row) || collective->exchange != exchange) continue;
      result.algorithm = name_of(collective->algorithm);
      result.group_size = plan_.group(*collective, {}).size;
    } else if (const auto* moved = std::get_if<RedistributeStep>(&step)) {
      if (moved->row != row || exchange != Exchange::redistribute) continue;
      result.algorithm = "point-to-point";
      result.group_size = static_cast<int>(plan_.options.grid.size());
    } else if (const auto* halo = std::get_if<HaloStep>(&step)) {
      if (halo->row != row || exchange != Exchange::halo) continue;
      result.algorithm = "point-to-point";
      result.group_size = plan_.grid_of(halo->own).rows;
    }
  const std::size_t at = exchange_index(static_cast<std::size_t>(row), exchange);
  result.seconds = spread(at, iterations);
  result.bytes_sent = spread(at + 1, iterations);
  result.messages = totals_[at + 2].sum / iterations;
  if (plan_.options.overlap.any() && result.algorithm != "none") result.exposed_s = spread(at + 3, iterations).mean;
  for (const auto& [reducing, additions] : {std::pair{Exchange::reduce_data, Work::data_additions},
                                            std::pair{Exchange::reduce_weights, Work::weight_additions},
                                            std::pair{Exchange::reduce_output, Work::output_additions}})
    if (exchange == reducing)
      result.reduction_s = spread(work_index(static_cast<std::size_t>(row), additions), iterations).mean;
  return result;
}

Result Summary::finish(const PhaseLog* phases) const {
  Result result;
  result.version = SIMTRAIN_VERSION;
  result.job.network = plan_.network.name;
  result.job.grid_rows = plan_.options.grid.rows;
  result.job.grid_columns = plan_.options.grid.columns;
  result.job.batch = plan_.options.batch;
  result.job.epoch_images = plan_.network.dataset_images;
  result.job.iterations = static_cast<std::int64_t>(iteration_ends_.size());
  result.job.strategy = to_string(plan_.options.strategy);
  result.job.collectives = name_of(plan_.options.algorithm);
  result.job.gather = name_of(plan_.options.gather);
  result.job.learning_rate = static_cast<double>(plan_.options.learning_rate);
  result.job.momentum = static_cast<double>(plan_.options.momentum);
  result.job.weight_decay = static_cast<double>(plan_.options.weight_decay);
  result.job.dropout = drops_out(plan_);
  if (const OverlapOptions& overlap = plan_.options.overlap; overlap.any()) {
    result.job.overlap = name_of(overlap.overlap);
    result.job.progress = name_of(overlap.progress);
    result.job.bucket_bytes = overlap.bucket_bytes;
  }

  const auto iterations = static_cast<double>(iteration_ends_.size());
  result.iteration_seconds = iteration_ends_;
  std::adjacent_difference(iteration_ends_.begin(), iteration_ends_.end(), result.iteration_seconds.begin());
  result.iteration_s =
      std::accumulate(result.iteration_seconds.begin(), result.iteration_seconds.end(), 0.0) / iterations;
  for (int row = 0; row < static_cast<int>(plan_.report_layers.size()); ++row) {
    const auto at = static_cast<std::size_t>(row);
    const Layer& layer = plan_.network.layers[static_cast<std::size_t>(plan_.report_layers[at])];
    LayerResult entry;
    entry.name = layer.name;
    entry.kind = layer.description();
    const Grid grid = plan_.strategies[static_cast<std::size_t>(plan_.report_layers[at])].grid;
    if (grid != plan_.options.grid) entry.grid = LayerGrid{grid.rows, grid.columns};
    if (plan_.in_strips(plan_.report_layers[at])) entry.strips = grid.rows;
    entry.forward_s = spread(work_index(at, Work::forward), iterations);
    entry.backward_s = spread(work_index(at, Work::backward), iterations);
    entry.update_s = spread(work_index(at, Work::update), iterations);
    entry.all_gather = exchange(row, Exchange::all_gather, iterations);
    entry.reduce_data = exchange(row, Exchange::reduce_data, iterations);
    entry.reduce_weights = exchange(row, Exchange::reduce_weights, iterations);
    entry.redistribute = exchange(row, Exchange::redistribute, iterations);
    entry.halo = exchange(row, Exchange::halo, iterations);
    entry.reduce_output = exchange(row, Exchange::reduce_output, iterations);
    if (phases != nullptr) entry.phases = phases_of(*phases, row);
    result.layers.push_back(std::move(entry));
  }
  for (std::size_t i = 0; i < loss_sums_.front().size(); ++i) {
    double sum = 0;
    for (const auto& column : loss_sums_) sum += column[i];
    result.losses.push_back(sum / static_cast<double>(plan_.options.batch));
  }
  const MemoryUse use = largest_memory_of(plan_);
  result.memory.weights = use.weights;
  result.memory.gradients = use.gradients;
  result.memory.momentum = use.momentum;
  result.memory.activations = use.activations;
  result.memory.buffers = use.buffers;
  return result;
}

}  // namespace simtrain
