// At which bandwidth, latency, batch or speed of computing another grid becomes the fastest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/prediction/crossings.hpp"
#include "sim/prediction/prediction.hpp"

namespace simtrain {

// bandwidth, latency: of all links between hosts, in equal ratio; shown are the job's 1/beta and alpha
// (PlatformResult). compute: times the speed of the profile's node. batch: samples.
enum class FlipQuantity { bandwidth, latency, compute, batch };
std::string_view name_of(FlipQuantity quantity);
FlipQuantity parse_flip_quantity(std::string_view what, std::string_view text);
// "9.30 GB/s", "2.00 µs", "1.50 times the profile's speed", "512 samples".
std::string format_value(FlipQuantity quantity, double value);

struct FlipRequest {
  Job job;  // its grid is not looked at
  PredictionOptions options;
  FlipQuantity quantity = FlipQuantity::bandwidth;
  std::vector<Grid> grids;
  std::optional<double> least, most;  // of the quantity; none: a sixteenth, and sixteen times, what the job has
  int at_a_time = 0;                  // simulations; 0: one per core
  Passport passport;
};

struct FlipPoint {
  double value = 0;
  std::vector<std::optional<double>> iteration_s;  // by grid; none: it cannot be had
  std::vector<std::string> errors;                 // by grid: why; empty: it can
};

struct FlipResult {
  FlipQuantity quantity = FlipQuantity::bandwidth;
  std::vector<Grid> grids;
  double as_given = 0;  // of the job
  Crossings crossings;  // candidates are grids
  std::vector<FlipPoint> points;
  std::string network, platform, strategy, collectives;
  std::int64_t batch = 0;
  std::optional<Passport> passport = {};
};

// One iteration of every grid at each value, in child processes, rounds merged where that is possible. `progress` is
// called with the number of simulations done and what is known of all there will be at least. InputError when no grid
// can be had at some value.
FlipResult find_flips(const FlipRequest& request, const std::function<void(std::size_t done)>& progress);

std::string to_text(const FlipResult& result);
std::string to_page(const FlipResult& result);  // for a browser (report/web_page.hpp)
std::string to_json(const FlipResult& result);  // docs/flip.schema.json

// simtrain flip ...
int flip_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
