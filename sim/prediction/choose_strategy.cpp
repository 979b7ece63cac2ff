#include "sim/prediction/choose_strategy.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/kernel_times.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/engine/workers.hpp"
#include "sim/prediction/facts.hpp"
#include "sim/prediction/machine.hpp"
#include "sim/prediction/what_if.hpp"
#include "train/candidates.hpp"
#include "train/phase_log.hpp"
#include "train/short_rules.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

// What the formulas need to know of the platform.
struct MachineFacts {
  AlphaBeta network;
  double bandwidth_Bps = 0;
  int ranks_at_once = 1;  // on a host
  std::optional<double> host_memory_bytes;
};

// Its messages stand for those of all grids: columns and rows, as long as they are alike.
Grid most_square(int processes, std::int64_t batch) {
  Grid best{processes, 1};
  for (const Grid grid : grids_of(processes))
    if (grid.columns <= batch && std::max(grid.rows, grid.columns) < std::max(best.rows, best.columns)) best = grid;
  return best;
}

std::string facts_text(const Job& job, const PredictionOptions& options) {
  const Plan plan = make_plan(job.network, job.plan);
  Simulation simulation(options.platform, {.ranks = plan.options.grid.size()});
  simulation.scale_links(options.bandwidth_scale, options.latency_scale);
  const HostSpace space = host_space(simulation, needs_nearness(options.placement));
  const std::vector<int> hosts = place(options.placement, plan.options.grid, options.ranks_per_host, space);
  simulation.check_hosts(hosts);
  const PlatformResult platform = describe_platform(simulation, plan, hosts, options);
  nlohmann::json facts{{"latency_s", platform.latency_s},
                       {"bandwidth_Bps", platform.bandwidth_Bps},
                       {"ranks_at_once", simulation.most_ranks_at_once(hosts)}};
  if (const auto memory = simulation.platform().host_memory_bytes) facts["host_memory_bytes"] = *memory;
  return facts.dump();
}

// In a child: the search takes place here, and the simulations after it need a process each.
MachineFacts facts_of(const Job& job, const PredictionOptions& options, int processes) {
  Job sample = job;
  sample.plan.strategy = {};
  sample.plan.grid = most_square(processes, job.plan.batch);
  const TaskOutcome outcome = run_all(1, 1, [&](std::size_t) { return facts_text(sample, options); }).front();
  if (outcome.kind == TaskOutcome::Kind::input_error) throw InputError(outcome.text);
  if (outcome.kind == TaskOutcome::Kind::failure) throw Failure(outcome.text);
  const nlohmann::json answer = nlohmann::json::parse(outcome.text);
  MachineFacts facts;
  facts.bandwidth_Bps = answer["bandwidth_Bps"].get<double>();
  facts.network = {answer["latency_s"].get<double>(), facts.bandwidth_Bps > 0 ? 1 / facts.bandwidth_Bps : 0};
  facts.ranks_at_once = answer["ranks_at_once"].get<int>();
  facts.host_memory_bytes = options.host_memory_bytes;
  if (!facts.host_memory_bytes && answer.contains("host_memory_bytes"))
    facts.host_memory_bytes = answer["host_memory_bytes"].get<double>();
  return facts;
}

Strategy rules_of(const StrategySearch& search, const Choice& choice) {
  std::vector<std::string> names;
  std::vector<LayerStrategy> splits;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    names.push_back(search.layers()[i].name);
    splits.push_back(search.layers()[i].splits[static_cast<std::size_t>(choice[i])]);
  }
  return short_rules(names, splits);
}

// Why an assignment is not even tried; empty: it is.
std::string hindrance(const Job& job, const PredictionOptions& options, const MachineFacts& facts) {
  const Plan plan = make_plan(job.network, job.plan);
  try {
    if (options.real_numerics) check_trainable(plan);
  } catch (const InputError& error) {
    return error.what();
  }
  const double bytes = largest_memory_of(plan).total() * facts.ranks_at_once;
  if (!facts.host_memory_bytes || bytes <= *facts.host_memory_bytes) return {};
  return "needs " + format_bytes(bytes) + " on a host, which has " + format_bytes(*facts.host_memory_bytes);
}

struct Tried {
  Candidate candidate;
  Job job;
  StrategyTrial trial;
};

// The first `tries` that are possible, and those before them that are not.
std::vector<Tried> select(const StrategySearch& search, const Job& job, const PredictionOptions& options,
                          const StrategySearchOptions& how, const MachineFacts& facts) {
  std::vector<Tried> tried;
  int possible = 0;
  for (const Candidate& candidate : candidates_of(search, how.processes)) {
    if (possible == how.tries) break;
    Job with_rules = job;
    with_rules.plan.strategy = rules_of(search, candidate.choice);
    with_rules.plan.grid = how.grid.value_or(main_grid(search, candidate.choice));
    const Grid grid = with_rules.plan.grid;
    StrategyTrial trial{candidate.what,
                        to_string(with_rules.plan.strategy),
                        {grid.rows, grid.columns},
                        candidate.seconds,
                        {},
                        hindrance(with_rules, options, facts)};
    if (trial.error.empty()) ++possible;
    tried.push_back({candidate, std::move(with_rules), std::move(trial)});
  }
  return tried;
}

void simulate(std::vector<Tried>& tried, const PredictionOptions& options) {
  std::vector<Variant> variants;
  std::vector<Tried*> simulated;
  for (Tried& one : tried)
    if (one.trial.error.empty()) {
      variants.push_back({one.job, options});
      simulated.push_back(&one);
    }
  const std::vector<VariantTime> times = try_variants(variants, options.processes);
  for (std::size_t i = 0; i < times.size(); ++i) {
    simulated[i]->trial.iteration_s = times[i].iteration_s;
    simulated[i]->trial.error = times[i].error;
  }
}

// The fastest, of equally fast ones the first.
std::size_t fastest(const std::vector<Tried>& tried) {
  const auto seconds = [](const Tried& one) { return one.trial.iteration_s; };
  const auto best = std::min_element(tried.begin(), tried.end(), [&](const Tried& a, const Tried& b) {
    return seconds(a) && (!seconds(b) || *seconds(a) < *seconds(b));
  });
  if (!seconds(*best))
    throw InputError("--strategy: 'auto' found nothing that can be predicted: '" + tried.front().trial.rules + "' " +
                     tried.front().trial.error);
  return static_cast<std::size_t>(best - tried.begin());
}

FormulaSeconds formula_seconds(const LayerSeconds& layer) {
  FormulaSeconds seconds{.compute = layer.compute_s};
  for (std::size_t i = 0; i < kExchanges; ++i) {
    const auto exchange = static_cast<Exchange>(i);
    seconds.exchanges[static_cast<std::size_t>(phase_of(exchange))] = layer.exchanges[exchange];
  }
  return seconds;
}

void add(const FormulaSeconds& term, double factor, FormulaSeconds& sum) {
  sum.compute += factor * term.compute;
  for (std::size_t i = 0; i < sum.exchanges.size(); ++i) sum.exchanges[i] += factor * term.exchanges[i];
}

std::vector<FormulaSeconds> seconds_of(const StrategySearch& search, const Choice& choice) {
  std::vector<FormulaSeconds> seconds;
  for (const LayerSeconds& layer : layer_seconds(search.plan(choice), search.costs()))
    seconds.push_back(formula_seconds(layer));
  return seconds;
}

// For each layer, what it takes and what the best without its split would.
std::vector<SplitLayer> explain(const StrategySearch& search, const Choice& chosen) {
  const auto split = [&](std::size_t i, const Choice& choice) {
    return to_string(search.layers()[i].splits[static_cast<std::size_t>(choice[i])]);
  };
  const std::vector<FormulaSeconds> seconds = seconds_of(search, chosen);
  std::vector<SplitLayer> layers;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    layers.push_back({search.layers()[i].name, split(i, chosen), seconds[i], {}});
    const Minimum other = search.best_without(static_cast<int>(i), chosen[i]);
    if (other.values.empty()) continue;
    SplitLayer::Other& best = layers.back().other.emplace(SplitLayer::Other{split(i, other.values), {}, {}});
    for (const FormulaSeconds& one : seconds_of(search, other.values)) add(one, 1, best.more);
    for (const FormulaSeconds& one : seconds) add(one, -1, best.more);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (k != i && other.values[k] != chosen[k]) best.changed.push_back(search.layers()[k].name);
  }
  return layers;
}

}  // namespace

po::options_description strategy_search_options() {
  po::options_description options("With --strategy auto");
  options.add_options()("processes", po::value<std::string>()->value_name("P"),
                        "in the place of --grid: so many processes, on whatever grids they are best")(
      "try", po::value<std::string>()->value_name("N")->default_value("5"),
      "simulate the best N assignments by the formulas and take the fastest; 1: believe the formulas");
  return options;
}

std::optional<StrategySearchOptions> strategy_search_from(const po::variables_map& values, const Strategy& strategy) {
  const bool on_grid =
      std::any_of(kGridOptions.begin(), kGridOptions.end(), [&](const auto& name) { return given(values, name); });
  if (strategy.kind != Strategy::Kind::automatic) {
    if (given(values, "processes"))
      throw InputError("--processes: given with --strategy " + to_string(strategy) +
                       "; expected --grid, or --strategy auto");
    if (!values["try"].defaulted())
      throw InputError("--try: given with --strategy " + to_string(strategy) + "; expected --strategy auto");
    return std::nullopt;
  }
  StrategySearchOptions options;
  options.tries = static_cast<int>(parse_integer("--try", text_of(values, "try"), 1, 1000));
  if (given(values, "processes")) {
    if (on_grid) throw InputError("--processes: given together with --grid; expected one or the other");
    options.processes = static_cast<int>(parse_integer("--processes", text_of(values, "processes"), 1, 1 << 20));
  } else {
    if (!on_grid)
      throw InputError("--processes: is missing; expected the number of processes, such as --processes 256, or a grid");
    options.grid = grid_from(values);
    options.processes = static_cast<int>(options.grid->size());
  }
  return options;
}

StrategySearchResult choose_strategy(Job& job, const PredictionOptions& asked, const StrategySearchOptions& how) {
  PredictionOptions options = asked;
  if (options.placement.kind == Placement::Kind::automatic) options.placement = {};
  const std::shared_ptr<const Profile> known = load_profile(options);
  const Profile& profile = *known;
  const MachineFacts facts = facts_of(job, options, how.processes);
  const Load load{job.threads, facts.ranks_at_once};
  PricedOperations prices(profile.at(load), options.compute_scale, profile.exceeded_by(load));
  const StrategySearch search(job.network, job.plan, how.processes, prices, facts.network);
  std::vector<Tried> tried = select(search, job, options, how, facts);
  simulate(tried, options);
  const std::size_t chosen = fastest(tried);
  StrategySearchResult result{.processes = how.processes,
                              .latency_s = facts.network.latency_s,
                              .bandwidth_Bps = facts.bandwidth_Bps,
                              .assignments = search.assignments(),
                              .trials = {},
                              .chosen = static_cast<int>(chosen),
                              .layers = explain(search, tried[chosen].candidate.choice)};
  for (const Tried& one : tried) result.trials.push_back(one.trial);
  job.plan.strategy = tried[chosen].job.plan.strategy;
  job.plan.grid = tried[chosen].job.plan.grid;
  return result;
}

}  // namespace simtrain
