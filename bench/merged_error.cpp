// How far merged detail is from every message: AlexNet iterations on many platforms, in both details, with the seconds
// of CPU that each took. Prints a table; docs/decisions/0008-merged-detail.md has its outcome. merged_error [TEXT] runs
// the cases that have TEXT in their name only.
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sim/engine/child.hpp"
#include "tests/support/merged_cases.hpp"

namespace simtrain {
namespace {

std::vector<MergedCase> cases() {
  const std::string torus = "torus:8x8x4", tree = "fat-tree:16x16,up=8", full_tree = "fat-tree:16x16",
                    ethernet = "ethernet:256,bandwidth=25Gbps,latency=5us",
                    backbone = "ethernet:256,bandwidth=25Gbps,latency=5us,backbone=800Gbps",
                    crossbar = "crossbar:256,bandwidth=6GBps,latency=2us";
  std::vector<MergedCase> all;
  const auto add = [&](MergedCase one) { all.push_back(std::move(one)); };
  for (const std::string& platform : {torus, tree}) {
    for (const Grid grid : {Grid{32, 8}, Grid{16, 16}, Grid{8, 32}, Grid{128, 2}, Grid{256, 1}, Grid{1, 256}})
      for (const bool rows_together : {false, true})
        if (!rows_together || (grid.rows > 1 && grid.columns > 1))
          add({platform, grid, Algorithm::ring, rows_together});
    for (const Grid grid : {Grid{32, 8}, Grid{8, 32}})
      for (const double slowest : {1.2, 2.0, 6.0}) add({platform, grid, Algorithm::ring, false, slowest});
    for (const bool rows_together : {false, true}) {
      add({platform, {32, 8}, Algorithm::rabenseifner, rows_together});
      add({platform, {8, 32}, Algorithm::rabenseifner, rows_together});
    }
    add({platform, {32, 8}, Algorithm::rabenseifner, false, 2.0});
    add({platform, {32, 8}, Algorithm::automatic});
    add({platform, {8, 32}, Algorithm::automatic});
    add({platform, {5, 51}, Algorithm::ring, false, 1, 1000});
    add({platform, {48, 5}, Algorithm::automatic, false, 1, 1000});
  }
  for (const std::string& platform : {full_tree, ethernet, backbone, crossbar}) {
    add({platform, {32, 8}, Algorithm::ring});
    add({platform, {8, 32}, Algorithm::ring, true});
    add({platform, {16, 16}, Algorithm::automatic});
    add({platform, {16, 16}, Algorithm::ring, false, 2.0});
  }
  add({"torus:16x8x4,latency=5us", {32, 16}, Algorithm::ring});
  add({"torus:16x8x4,bandwidth=100GBps", {32, 16}, Algorithm::ring});
  add({"torus:16x8x8", {64, 16}, Algorithm::ring});
  add({"torus:16x8x8", {16, 64}, Algorithm::automatic, true});
  return all;
}

struct Measured {
  MergedFigures figures;
  double cpu_s = 0;
};

double cpu_s_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Measured measure(const MergedCase& job, bool merged) {
  const double before_s = cpu_s_of_children();
  const ChildOutcome outcome = run_in_child([&] {
    const MergedFigures figures = run_case(job, merged);
    char text[64];
    std::snprintf(text, sizeof text, "%.17g %.17g %d", figures.iteration_s, figures.communication_s, figures.near);
    return std::string(text);
  });
  Measured measured;
  int near = 0;
  if (!outcome.finished || std::sscanf(outcome.answer.c_str(), "%lg %lg %d", &measured.figures.iteration_s,
                                       &measured.figures.communication_s, &near) != 3) {
    std::fprintf(stderr, "merged_error: error: %s failed: %s\n", job.text().c_str(), outcome.errors.c_str());
    std::exit(1);
  }
  measured.figures.near = near != 0;
  measured.cpu_s = cpu_s_of_children() - before_s;
  return measured;
}

double percent(double found, double expected) { return 100 * (found / expected - 1); }

int run(const std::string& only) {
  std::printf("%-70s %12s %12s %9s %9s %7s %7s  %s\n", "case", "iteration, s", "of it comm.", "error, %", "comm., %",
              "CPU s", "merged", "auto");
  std::vector<double> errors;
  double worst_communication = 0;
  for (const MergedCase& job : cases()) {
    if (job.text().find(only) == std::string::npos) continue;
    const Measured messages = measure(job, false), merged = measure(job, true);
    const double error = percent(merged.figures.iteration_s, messages.figures.iteration_s);
    const double communication = percent(merged.figures.communication_s, messages.figures.communication_s);
    std::printf("%-70s %12.6f %12.6f %9.4f %9.4f %7.2f %7.2f  %s\n", job.text().c_str(), messages.figures.iteration_s,
                messages.figures.communication_s, error, communication, messages.cpu_s, merged.cpu_s,
                merged.figures.near ? "merges" : "does not");
    std::fflush(stdout);
    if (!merged.figures.near) continue;
    errors.push_back(std::abs(error));
    worst_communication = std::max(worst_communication, std::abs(communication));
  }
  if (errors.empty()) return 1;
  std::sort(errors.begin(), errors.end());
  std::printf(
      "%zu cases in which auto merges: error of the iteration at most %.4f %%, median %.4f %%; of its communication at "
      "most %.4f %%\n",
      errors.size(), errors.back(), errors[errors.size() / 2], worst_communication);
  return 0;
}

}  // namespace
}  // namespace simtrain

int main(int argc, char** argv) { return simtrain::run(argc > 1 ? argv[1] : ""); }
