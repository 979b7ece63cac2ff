// A small result whose totals are worked out by hand, for tests of reports.
#pragma once

#include "report/result.hpp"

namespace simtrain {

inline constexpr double kMiB = 1024.0 * 1024.0;

// Times in ms:        compute                       all-gather        all-reduce dX     all-reduce dW    sum
//   layer a     10 + 20 + 2 = 32                    4                 none              6 (1 adding)     10
//   layer b      5 + 10 + 1 = 16 (2.4 outside)      2                 8 (2 adding)      2 (0.5 adding)   12
//   total                     48                    6                 8                 8 (3.5)          22
//   alpha-beta                                      3 + 1.5           6                 4.5 + 1.5        16.5
//   formula (8)                                     2 + 1             7                 4 + 3.4          17.4
// Sent: 3 + 1 MiB by layer a, 1 + 2 + 0.5 MiB by layer b. Iteration: 79 and 81 ms, mean 80 ms, of which 70 ms are
// accounted for. The slowest rank computes 1.5 times the mean, the busiest sender sends 1.1 times the mean.
inline Result sample_result() {
  const auto around = [](double mean, double least, double most) { return Spread{least * mean, mean, most * mean}; };
  const auto compute = [&](double mean) { return around(mean, 0.75, 1.5); };
  const auto collective = [&](const char* algorithm, int ranks, double seconds, double adding, double sent,
                              double alpha_beta, double paper) {
    return CollectiveResult{.algorithm = algorithm,
                            .group_size = ranks,
                            .seconds = around(seconds, 0.5, 2),
                            .reduction_s = adding,
                            .bytes_sent = around(sent * kMiB, 0.9, 1.1),
                            .messages = sent > 0 ? 1000.0 : 0.0,
                            .alpha_beta_s = alpha_beta,
                            .paper_s = paper};
  };
  Result result;
  result.kind = "simulated";
  result.version = "1.2.3";
  result.job = {.network = "tiny",
                .strategy = "uniform",
                .collectives = "auto",
                .gather = "after-pooling",
                .placement = "column-major",
                .numerics = "phantom",
                .grid_rows = 4,
                .grid_columns = 2,
                .batch = 64,
                .iterations = 2,
                .warm_up = 1,
                .epoch_images = 6400,
                .seed = 18446744073709551615U,
                .learning_rate = 0.1,
                .momentum = 0.9,
                .weight_decay = 0.0005,
                .dropout = true};
  result.platform = PlatformResult{.name = "torus.xml",
                                   .description = "3-D torus 2x2x2",
                                   .hosts = 8,
                                   .latency_s = 2e-6,
                                   .bandwidth_Bps = 6e9,
                                   .latency_source = "mean route latency",
                                   .network_source = ""};
  result.profile = ProfileResult{.name = "default",
                                 .machine = "node-7",
                                 .cpu = "Some CPU",
                                 .blas = "OpenBLAS 0.3.21",
                                 .date = "2026-01-31",
                                 .command = "calibrate kernels",
                                 .this_machine = false,
                                 .compute_scale = 1};
  result.iteration_seconds = {0.079, 0.081};
  result.iteration_s = 0.080;
  result.layers = {{.name = "a",
                    .kind = "convolution 3x3, 3 -> 8",
                    .forward_s = compute(0.010),
                    .backward_s = compute(0.020),
                    .update_s = compute(0.002),
                    .extrapolated_s = 0,
                    .all_gather = collective("ring", 4, 0.004, 0, 3, 0.003, 0.002),
                    .reduce_data = collective("none", 1, 0, 0, 0, 0, 0),
                    .reduce_weights = collective("rabenseifner", 2, 0.006, 0.001, 1, 0.0045, 0.004)},
                   {.name = "b",
                    .kind = "linear 128 -> 10",
                    .forward_s = compute(0.005),
                    .backward_s = compute(0.010),
                    .update_s = compute(0.001),
                    .extrapolated_s = 0.0024,
                    .all_gather = collective("ring", 4, 0.002, 0, 1, 0.0015, 0.001),
                    .reduce_data = collective("ring", 4, 0.008, 0.002, 2, 0.006, 0.007),
                    .reduce_weights = collective("bruck", 2, 0.002, 0.0005, 0.5, 0.0015, 0.0034)}};
  result.memory = {.weights = 1 * kMiB,
                   .gradients = 2 * kMiB,
                   .momentum = 3 * kMiB,
                   .activations = 10 * kMiB,
                   .buffers = 4 * kMiB,
                   .host = 80 * kMiB};
  return result;
}

// The sample with its phases noted: each has its mean as median, 10 % less and more over ranks and iterations, and 5 %
// less and more as percentiles; the first begins after 1 ms, each of the others a ms later.
inline Result with_phases(Result result) {
  double begin_s = 0;
  for (LayerResult& layer : result.layers)
    for (const double mean :
         {layer.forward_s.mean, layer.backward_s.mean, layer.update_s.mean, layer.all_gather.seconds.mean,
          layer.reduce_data.seconds.mean, layer.reduce_weights.seconds.mean, layer.redistribute.seconds.mean,
          layer.halo.seconds.mean, layer.reduce_output.seconds.mean}) {
      layer.phases.emplace_back();
      if (mean == 0) continue;
      begin_s += 0.001;
      layer.phases.back() = PhaseResult{.seconds = {0.9 * mean, mean, 1.1 * mean},
                                        .p5_s = 0.95 * mean,
                                        .median_s = mean,
                                        .p95_s = 1.05 * mean,
                                        .begin_s = {begin_s, begin_s, begin_s},
                                        .end_s = {begin_s + 0.9 * mean, begin_s + mean, begin_s + 1.1 * mean}};
    }
  return result;
}

// With layer b on 2 x 4 and its input redistributed: 5 ms (alpha-beta 4 ms), 3 MiB.
inline Result with_redistribution(Result result) {
  result.job.strategy = "b:2x4";
  result.layers[1].grid = LayerGrid{2, 4};
  result.layers[1].redistribute = {.algorithm = "point-to-point",
                                   .group_size = 8,
                                   .seconds = {0.004, 0.005, 0.006},
                                   .reduction_s = 0,
                                   .bytes_sent = {3 * kMiB, 3 * kMiB, 3 * kMiB},
                                   .messages = 24,
                                   .alpha_beta_s = 0.004,
                                   .paper_s = 0};
  return result;
}

// With layer a in two strips on 2 x 4: halos of 2 ms (alpha-beta 1 ms, formula 3 ms), 1 MiB.
inline Result with_halo(Result result) {
  result.job.strategy = "a:domain:2x4";
  result.layers[0].grid = LayerGrid{2, 4};
  result.layers[0].strips = 2;
  result.layers[0].halo = {.algorithm = "point-to-point",
                           .group_size = 2,
                           .seconds = {0.001, 0.002, 0.003},
                           .reduction_s = 0,
                           .bytes_sent = {1 * kMiB, 1 * kMiB, 1 * kMiB},
                           .messages = 16,
                           .alpha_beta_s = 0.001,
                           .paper_s = 0.003};
  return result;
}

// With layer b split by columns: an all-reduce of Y of 3 ms (1 adding; alpha-beta 2.5 ms, formula 2 ms), 2 MiB, in
// place of its other exchanges over the rows.
inline Result with_columns(Result result) {
  result.job.strategy = "b:columns:4x2";
  result.layers[1].all_gather = result.layers[1].reduce_data = {};
  result.layers[1].reduce_output = {.algorithm = "ring",
                                    .group_size = 4,
                                    .seconds = {0.002, 0.003, 0.004},
                                    .reduction_s = 0.001,
                                    .bytes_sent = {2 * kMiB, 2 * kMiB, 2 * kMiB},
                                    .messages = 48,
                                    .alpha_beta_s = 0.0025,
                                    .paper_s = 0.002};
  return result;
}

// With five replicas: 76, 80, 81, 85, 90 ms. Of these the 5th percentile is at place 0.2, 76.8 ms, the 95th at 3.8, 89
// ms.
inline Result with_replicas(Result result) {
  result.replicas = ReplicasResult{
      .seed = 18446744073709551615U, .node_spread = 0.01, .iteration_seconds = {0.080, 0.090, 0.081, 0.076, 0.085}};
  return result;
}

// With its 80 ms split up, in ms: 48 + 2 + 3.5 + 6.5 + 12 + 3 + 5.
inline Result with_bounds(Result result) {
  result.bounds = BoundsResult{.computing_s = 0.048,
                               .slower_s = 0.002,
                               .adding_s = 0.0035,
                               .waiting_s = 0.0065,
                               .bandwidth_s = 0.012,
                               .latency_s = 0.003,
                               .contention_s = 0.005};
  return result;
}

// With bounds, four ranks on a host, links, placements that were tried, and slow parts: healed it would take 60 ms.
inline Result with_machine(Result result) {
  result.job.ranks_per_host = 4;
  result.memory.ranks_on_host = 4;
  result.memory.on_host = 4 * result.memory.total();
  result.links = LinksResult{
      .used = 3,
      .classes = {{"x+", 4, 3 * kMiB, 0.075, 0.2}, {"x-", 4, 0, 0, 0}},
      .busiest = {
          {"x+ of (1,0)", 2 * kMiB, 0.2}, {"x+ of (0,0)", 0.5 * kMiB, 0.05}, {"x+ of (3,0)", 0.5 * kMiB, 0.05}}};
  result.placement_trials = {{"column-major", 0.080, ""}, {"row-major", 0.100, ""}, {"snake", {}, "no torus"}};
  result.slow_parts = SlowPartsResult{.description = "2 drawn hosts=0.5 (seed 7)",
                                      .hosts = {{"host-1", 0.5}, {"host-6", 0.5}},
                                      .links = {{"x+ of (1,0)", 0.25}},
                                      .slow_hosts = 2,
                                      .slow_hosts_used = 1,
                                      .degraded_links = 1,
                                      .healthy_slots = 6,
                                      .healed_s = 0.060,
                                      .without = {{3, 2, 0.070, ""}, {4, 1, {}, "too large"}}};
  return with_bounds(result);
}

// With what --strategy auto did: the first trial is the least by the formulas, the second one was faster.
inline Result with_search(Result result) {
  FormulaSeconds first{.compute = 0.030}, second{.compute = 0.020}, more{.compute = -0.004};
  const auto at = [](FormulaSeconds& seconds, Phase phase) -> double& {
    return seconds.exchanges[static_cast<std::size_t>(phase)];
  };
  at(first, Phase::all_gather) = 0.002;
  at(second, Phase::reduce_weights) = 0.008;
  at(more, Phase::reduce_data) = 0.006;
  result.strategy_search = StrategySearchResult{
      .processes = 8,
      .latency_s = 1e-6,
      .bandwidth_Bps = 1e9,
      .assignments = 28,
      .trials = {{"least by the formulas", "conv1:1x8; fc2:8x1", {1, 8}, 0.058, 0.085, ""},
                 {"uniform on 4x2", "*:4x2", {4, 2}, 0.060, 0.080, ""},
                 {"fc2 on 1x8 instead", "*:1x8", {1, 8}, 0.062, {}, "needs 9.00 GiB on a host, which has 8.00 GiB"}},
      .chosen = 1,
      .layers = {{"conv1", "4x2", first, SplitLayer::Other{"1x8", more, {"fc2"}}}, {"fc2", "4x2", second, {}}}};
  return result;
}

// The same job on real MPI: no platform, no profile, no formulas, with losses.
inline Result sample_native_result() {
  Result result = sample_result();
  result.kind = "native";
  result.platform.reset();
  result.profile.reset();
  result.native = NativeResult{.machine = "node-9",
                               .cpu = "Some CPU",
                               .mpi = "Open MPI 4.1.4",
                               .blas = "OpenBLAS 0.3.21",
                               .threads_per_rank = 1,
                               .cores = 4,
                               .hosts = 2,
                               .binding = "8 ranks bound to a core each"};
  result.memory.host.reset();
  result.job.placement = "";
  for (LayerResult& layer : result.layers) {
    layer.extrapolated_s = 0;
    for (CollectiveResult* collective : {&layer.all_gather, &layer.reduce_data, &layer.reduce_weights})
      collective->alpha_beta_s = collective->paper_s = 0;
  }
  result.losses = {2.5, 2.25, 2.125, 2.0, 1.75, 1.5, 1.25, 0.5};
  return result;
}

}  // namespace simtrain
