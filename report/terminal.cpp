#include "report/terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/units.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"

namespace simtrain {

namespace {

std::string print(const char* format, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

std::string grid_text(const JobResult& job) {
  const std::int64_t ranks = static_cast<std::int64_t>(job.grid_rows) * job.grid_columns;
  std::string text = "Pr x Pc = " + std::to_string(job.grid_rows) + " x " + std::to_string(job.grid_columns) + ": " +
                     std::to_string(job.grid_rows) + "-way tensor parallel, " + std::to_string(job.grid_columns) +
                     "-way data parallel";
  return text + " (" + counted(ranks, "rank") + ")";
}

// Whether no layer is on the job's grid, so that the grid only says how many ranks there are.
bool on_other_grids(const Result& result) {
  return !result.layers.empty() &&
         std::all_of(result.layers.begin(), result.layers.end(), [&](const LayerResult& layer) {
           return layer.grid &&
                  (layer.grid->rows != result.job.grid_rows || layer.grid->columns != result.job.grid_columns);
         });
}

// "1 x 256: conv1 to conv5; 32 x 8: fc6; 32 x 8 by columns: fc7", "2 strips x 512: ...": layers in a row that are split
// alike; empty when all are as the job's grid says.
std::string layer_grids_text(const Result& result) {
  const auto split = [&](const LayerResult& layer) {
    const LayerGrid grid = layer.grid.value_or(LayerGrid{result.job.grid_rows, result.job.grid_columns});
    return std::to_string(grid.rows) + (layer.strips > 1 ? " strips x " : " x ") + std::to_string(grid.columns) +
           (layer.by_columns() ? " by columns" : "");
  };
  const std::vector<LayerResult>& layers = result.layers;
  if (std::none_of(layers.begin(), layers.end(), [](const LayerResult& layer) {
        return layer.grid.has_value() || layer.strips > 1 || layer.by_columns();
      }))
    return "";
  std::string text;
  for (std::size_t first = 0, end = 0; first < layers.size(); first = end) {
    while (end < layers.size() && split(layers[end]) == split(layers[first])) ++end;
    text += (first == 0 ? "" : "; ") + split(layers[first]) + ": " + layers[first].name +
            (end - first > 1 ? (end - first > 2 ? " to " : ", ") + layers[end - 1].name : "");
  }
  return text;
}

std::string platform_text(const PlatformResult& platform) {
  std::string text = platform.name;
  if (!platform.description.empty() && platform.description != platform.name) text += ": " + platform.description;
  if (platform.bandwidth_scale != 1) text += ", bandwidths x " + print("%.4g", platform.bandwidth_scale);
  if (platform.latency_scale != 1) text += ", latencies x " + print("%.4g", platform.latency_scale);
  if (platform.description.find("host") == std::string::npos) text += ", " + counted(platform.hosts, "host");
  return text;
}

std::string messages_text(const PlatformResult& platform) {
  return platform.network_model + ": " +
         (platform.network_source.empty() ? "latency + bytes / bandwidth of the platform" : platform.network_source);
}

void add_network_range(Page& page, const PlatformResult& platform) {
  if (platform.network_outside_share > 0)
    page.warning(
        format_percent(platform.network_outside_share) +
        " of the messages' time is of sizes that were not measured. Measure them (calibrate network --largest) "
        "before you rely on the prediction.");
}

void add_optional(Page& page, std::string_view label, const std::string& value) {
  if (!value.empty()) page.fact(label, value);
}

void add_job(Page& page, const Result& result) {
  const JobResult& job = result.job;
  page.heading("simtrain " + result.version + ": " + result.kind + " training iteration");
  page.fact("network", job.network + ", batch " + format_count(static_cast<double>(job.batch)));
  if (on_other_grids(result))
    page.fact("ranks", format_count(static_cast<double>(job.grid_rows) * job.grid_columns) + "; no layer is on " +
                           std::to_string(job.grid_rows) + " x " + std::to_string(job.grid_columns));
  else
    page.fact("grid", grid_text(job));
  add_optional(page, "layers", layer_grids_text(result));
  if (result.platform) page.fact("platform", platform_text(*result.platform));
  if (result.platform) page.fact("messages", messages_text(*result.platform));
  page.fact("collectives", job.collectives);
  std::string options;
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"strategy", (result.strategy_search ? "auto: " : "") + job.strategy},
        {"gather", job.gather},
        {"placement", job.placement},
        {"ranks per host", job.ranks_per_host > 1 ? std::to_string(job.ranks_per_host) : ""},
        {"numerics", job.numerics},
        {"detail", job.detail == "merged" ? job.detail : ""},
        {"overlap", job.overlaps() ? job.overlap : ""},
        {"progress", job.progress},
        {"buckets of", job.overlaps() ? format_bytes(static_cast<double>(job.bucket_bytes)) : ""},
        {"dropout", job.dropout ? "yes" : ""}})
    if (!value.empty()) options += (options.empty() ? "" : ", ") + name + " " + value;
  add_optional(page, "options", options);
  if (result.native) {
    page.fact("machine", result.native->machine + ", " + result.native->cpu);
    page.fact("MPI", result.native->mpi);
    page.fact("BLAS", result.native->blas + ", " + counted(result.native->threads_per_rank, "thread") + " per rank");
    page.fact("ranks", "on " + counted(result.native->hosts, "host") + " of " + counted(result.native->cores, "core") +
                           ", " + result.native->binding);
  }
}

// "; 90 % of 20 replicas: 1.95 s to 2.04 s, median 1.99 s"
std::string replicas_text(const Result& result) {
  if (!result.replicas) return "";
  const Distribution seconds = result.replicas->iterations();
  const auto count = static_cast<std::int64_t>(result.replicas->iteration_seconds.size());
  return "; 90 % of " + counted(count, "replica") + ": " + format_seconds(seconds.p5) + " to " +
         format_seconds(seconds.p95) + ", median " + format_seconds(seconds.median);
}

void add_prediction(Page& page, const Result& result) {
  const JobResult& job = result.job;
  page.heading(result.kind == "native" ? "Measurement" : "Prediction");
  page.figure("key");
  std::string timed;
  if (result.iteration_seconds.size() > 1) {
    const Distribution seconds = result.iterations();
    timed = "  (mean of " + std::to_string(result.iteration_seconds.size()) + "; median " +
            format_seconds(seconds.median) + ", 90 % from " + format_seconds(seconds.p5) + " to " +
            format_seconds(seconds.p95) + ", all from " + format_seconds(seconds.min) + " to " +
            format_seconds(seconds.max) + ")";
  }
  page.fact("iteration", format_seconds(result.iteration_s) + replicas_text(result) + timed);
  if (result.replicas)
    page.fact("", "replicas: noise of the kernels as it was measured, errors of the profile's fit, and nodes whose " +
                      std::string("times are assumed to differ by ") + format_percent(result.replicas->node_spread) +
                      " (--node-spread)");
  if (job.epoch_images > 0 && job.batch > 0) {
    const double iterations = static_cast<double>(job.epoch_images) / static_cast<double>(job.batch);
    const double epoch_s = result.epoch_s();
    page.fact("epoch", format_seconds(epoch_s) +
                           (epoch_s >= 3600 ? " = " + print("%.2f", epoch_s / 3600) + " h" : std::string()) + "  (" +
                           format_count(static_cast<double>(job.epoch_images)) +
                           " images = " + print("%.1f", iterations) + " iterations)");
  }
  const double speed = result.images_per_s();
  page.fact("throughput", (speed >= 1000 ? format_count(speed) : print("%.3g", speed)) + " images/s");
}

// "fc8 (62.0 % of its compute)" for the layers that are outside the measured range by more than a tenth of their
// compute, the largest part of the iteration first.
std::string extrapolated_layers(const Result& result) {
  const auto compute = [](const LayerResult& layer) {
    return layer.forward_s.mean + layer.backward_s.mean + layer.update_s.mean;
  };
  std::vector<const LayerResult*> layers;
  for (const LayerResult& layer : result.layers)
    if (layer.extrapolated_s > 0.1 * compute(layer)) layers.push_back(&layer);
  std::stable_sort(layers.begin(), layers.end(), [](auto a, auto b) { return a->extrapolated_s > b->extrapolated_s; });
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(layers.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + layers[i]->name + " (" +
            format_share(layers[i]->extrapolated_s, compute(*layers[i])) + " of its compute)";
  if (layers.size() > kMost) text += " and " + std::to_string(layers.size() - kMost) + " more";
  return text;
}

void add_profile(Page& page, const Result& result) {
  const ProfileResult& profile = *result.profile;
  page.heading("Profile of compute times");
  page.fact("name", profile.name);
  page.fact("CPU", profile.cpu);
  page.fact("BLAS", profile.blas);
  if (profile.threads_per_rank != 1 || profile.processes_per_node != 1)
    page.fact("load", counted(profile.processes_per_node, "rank") + " computing on a node at once, " +
                          counted(profile.threads_per_rank, "thread") + " each");
  page.fact("measured", "on " + profile.machine + ", " + profile.date +
                            (profile.this_machine ? " (this machine)" : " (measured on another machine)"));
  add_optional(page, "with", profile.command);
  if (profile.compute_scale != 1)
    page.fact("scaled", "computes " + print("%.4g", profile.compute_scale) + " times as fast as measured");

  const double share = result.compute_s() > 0 ? result.extrapolated_s() / result.compute_s() : 0;
  if (share <= 0) {
    page.fact("range", "all of the compute time lies inside the measured range");
    return;
  }
  const std::string layers = extrapolated_layers(result);
  const std::string text = format_percent(share) + " of the compute time lies outside the measured range" +
                           (layers.empty() ? "" : ": " + layers);
  constexpr double kTooMuch = 0.1;
  if (share > kTooMuch)
    page.warning(text + ". Measure these shapes (calibrate kernels) before you rely on the prediction.");
  else
    page.fact("range", text);
}

void add_losses(Page& page, const Result& result) {
  page.heading("Loss (mean over the batch)");
  Table table({{.heading = "iteration"}, {.heading = "loss"}});
  constexpr std::size_t kAll = 6, kFirst = 3;
  const std::size_t count = result.losses.size();
  const auto add = [&](std::size_t i) {
    table.row({std::to_string(i + 1), std::isfinite(result.losses[i]) ? print("%.6f", result.losses[i]) : "diverged"});
  };
  for (std::size_t i = 0; i < (count <= kAll ? count : kFirst); ++i) add(i);
  if (count > kAll) {
    table.row({"...", ""});
    add(count - 1);
  }
  page.table(table);
}

void add_epochs(Page& page, const Result& result) {
  page.heading("Epochs");
  Table table({{.heading = "epoch"},
               {.heading = "loss"},
               {.heading = "test accuracy"},
               {.heading = "time"},
               {.heading = "images/s"}});
  for (std::size_t i = 0; i < result.epochs.size(); ++i) {
    const EpochResult& epoch = result.epochs[i];
    table.row({std::to_string(i + 1), std::isfinite(epoch.loss) ? print("%.4f", epoch.loss) : "diverged",
               epoch.test_accuracy ? format_percent(*epoch.test_accuracy) : "-", format_seconds(epoch.seconds),
               format_count(epoch.images_per_s)});
  }
  page.table(table);
}

}  // namespace

void add_report(Page& page, const Result& result) {
  add_job(page, result);
  add_prediction(page, result);
  add_strategy_search(page, result);
  add_placement_trials(page, result);
  add_slow_parts(page, result);
  add_layers(page, result);
  add_shares(page, result);
  add_bounds(page, result);
  page.figure("timeline", "What some of the ranks do");
  add_communication(page, result);
  if (result.platform) add_network_range(page, *result.platform);
  add_links(page, result);
  page.figure("links");
  add_memory(page, result);
  if (result.profile) add_profile(page, result);
  if (!result.epochs.empty())
    add_epochs(page, result);
  else if (!result.losses.empty())
    add_losses(page, result);
  page.figure("origin", "Where it comes from");
}

std::string to_text(const Result& result) {
  Page page;
  add_report(page, result);
  return page.text();
}

}  // namespace simtrain
