#include "sim/commands/sweep_command.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "report/color.hpp"
#include "report/sweep.hpp"
#include "sim/commands/again.hpp"
#include "sim/commands/outputs.hpp"
#include "sim/sweep/assemble.hpp"
#include "sim/sweep/options.hpp"
#include "sim/sweep/run.hpp"
#include "sim/sweep/share.hpp"
#include "sim/sweep/store.hpp"
#include "sim/sweep/sweep_passport.hpp"
#include "sim/sweep/timeline.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain sweep simulates every combination of what varies, and ranks them.\n\n"
    "  simtrain sweep --platform torus.xml --processes 256              every grid Pr x Pc = 256\n"
    "  simtrain sweep --platform torus.xml --platform fat-tree.xml --processes 128,256 --grids '*x8' \\\n"
    "      --batch 1024,2048 --strategy 'uniform | conv-batch' --csv points.csv\n"
    "  simtrain sweep --platform torus.xml --processes 256 --results grids.jsonl    goes on after an interruption\n"
    "  srun -n 64 simtrain sweep ... --results grids.jsonl --share auto             a share each; then: simtrain "
    "merge\n\n"
    "docs/sweeps.md tells how to run large ones on many nodes.\n\n";

struct Request {
  Share share;
  std::string results, json, csv, page;  // empty: none
  ReportStyle style;
};

Request request_from(const po::variables_map& values) {
  const auto text = [&](const char* option) { return given(values, option) ? text_of(values, option) : std::string(); };
  Request request{{}, text("results"), text("json"), text("csv"), page_path_from(values), report_style(values)};
  if (given(values, "prune") && given(values, "replicas"))
    throw InputError(
        "--prune: given with --replicas; expected one of them, since a point that is skipped has no replicas");
  if (!request.json.empty()) check_output("--json", request.json);
  if (!request.csv.empty()) check_output("--csv", request.csv);
  if (!given(values, "share")) return request;
  request.share = parse_share(text_of(values, "share"), [](const char* name) { return std::getenv(name); });
  if (request.results.empty())
    throw InputError("--share: given without --results; expected both, since simtrain merge joins results files");
  for (const char* option : {"json", "csv", "report"})
    if (given(values, option))
      throw InputError("--" + std::string(option) +
                       ": given with --share; expected it of simtrain merge, which has the points of all shares");
  return request;
}

PointOutlooks look_at_all(const SweepJobs& jobs, const TaskLimits& limits) {
  PointOutlooks outlooks;
  const std::string* first_reason = nullptr;
  bool any = false;
  for (std::size_t i = 0; i < jobs.space().size(); ++i) {
    const PointOutlook& outlook = outlooks[i] = jobs.outlook(i, limits.memory_bytes);
    const std::string& reason = outlook.impossible.empty() ? outlook.not_here : outlook.impossible;
    any = any || reason.empty();
    if (first_reason == nullptr && !reason.empty())
      first_reason = outlook.impossible.empty() ? &outlooks[i].not_here : &outlooks[i].impossible;
  }
  if (!any)
    throw InputError(*first_reason + (outlooks.size() > 1 ? "; nor can any other of the " +
                                                                std::to_string(outlooks.size()) + " points be simulated"
                                                          : ""));
  return outlooks;
}

PointOutlooks share_of(const PointOutlooks& all, const Share& share) {
  std::vector<double> costs;
  for (const auto& [point, outlook] : all) costs.push_back(outlook.cost);
  PointOutlooks mine;
  for (const std::size_t point : points_of(share, costs)) mine.emplace(point, all.at(point));
  return mine;
}

void tell_what_was_there(const ResultsStore& store, const std::string& path, const PointOutlooks& points) {
  if (store.cut_off_bytes() > 0)
    std::fprintf(stderr, "simtrain: note: results file '%s' ended in half a line (%zu bytes), which is cut off\n",
                 printable(path).c_str(), store.cut_off_bytes());
  std::size_t settled = 0;
  for (const auto& [point, state] : store.states()) settled += state.settled() && points.contains(point) ? 1 : 0;
  if (settled > 0)
    std::fprintf(stderr, "simtrain: note: %zu of %zu points are in '%s' already\n", settled, points.size(),
                 printable(path).c_str());
}

std::string share_text(const Share& share, const PointOutlooks& points, SweepLedger& ledger, const std::string& path) {
  std::size_t results = 0, skipped = 0, impossible = 0;
  for (const auto& [point, outlook] : points) {
    const PointState& state = ledger.state(point);
    results += state.result ? 1 : 0;
    skipped += !state.result && state.skipped ? 1 : 0;
    impossible += state.error ? 1 : 0;
  }
  std::string text = "Share " + std::to_string(share.index) + " of " + std::to_string(share.count) + ": " +
                     std::to_string(points.size()) + " of " + std::to_string(ledger.inputs().space.size()) +
                     " points, " + std::to_string(results) + " simulated";
  if (skipped > 0) text += ", " + std::to_string(skipped) + " skipped";
  if (impossible > 0) text += ", " + std::to_string(impossible) + " not possible";
  if (!ledger.troubles().empty()) text += ", " + std::to_string(ledger.troubles().size()) + " to be tried again";
  return text + ". simtrain merge joins '" + path + "' with those of the other shares.\n";
}

void write_outputs(const Sweep& sweep, const Request& request, const SweepJobs& jobs, const SweepLedger& ledger) {
  print_report(sweep_to_text(sweep), request.style);  // first: a file that cannot be written must not lose the run
  if (!request.json.empty()) write_file(request.json, sweep_to_json(sweep));
  if (!request.csv.empty()) write_file(request.csv, sweep_to_csv(sweep));
  if (request.page.empty()) return;
  const FastestTimeline timeline =
      timeline_of_fastest(sweep, jobs, [&](const auto& work) { return ledger.in_child(work); });
  write_file(request.page, sweep_to_page(sweep, timeline));
}

int status_of(const Sweep& sweep, bool failed) {
  const auto& points = sweep.points;
  const bool any = std::any_of(points.begin(), points.end(), [](const SweepPoint& p) { return p.result.has_value(); });
  return any && !failed ? 0 : 1;
}

// What is to be simulated, read and checked.
struct Asked {
  ReplicaOptions replicas;
  SweepJobs jobs;
  TaskLimits limits;
  PointOutlooks outlooks;  // of all points
  SweepInputs inputs;
};

Asked read_points(const po::variables_map& values) {
  const SweepSpace space = space_from(values);
  const ReplicaOptions replicas = replicas_from(values);
  SweepJobs jobs(values, space);
  if (replicas.count > 0) check_noise(jobs.at(0).job, jobs.at(0).options);
  check_apart(outputs_of(values), names_of(jobs.files()));
  const TaskLimits limits{replicas.workers, replicas.budget_bytes()};
  PointOutlooks outlooks = look_at_all(jobs, limits);
  SweepInputs inputs = inputs_from(values, jobs);
  return {replicas, std::move(jobs), limits, std::move(outlooks), std::move(inputs)};
}

void simulate(const Asked& asked, const PointOutlooks& points, SweepLedger& ledger) {
  run_points(asked.jobs, points, asked.limits, ledger);
  if (asked.replicas.count > 0) run_replicas(asked.jobs, points, asked.replicas, asked.limits, ledger);
}

}  // namespace

AskedAgain sweep_again(const std::vector<std::string>& arguments) {
  const auto asked = std::make_shared<const Asked>(read_points(parse_options(arguments, sweep_options())));
  return {passport_of(asked->inputs), [asked] {
            SweepLedger ledger(asked->inputs, nullptr);
            simulate(*asked, asked->outlooks, ledger);
            return sweep_to_json(assemble(asked->inputs, ledger.states(), ledger.troubles()));
          }};
}

int sweep_command(const std::vector<std::string>& arguments) {
  const po::options_description options = sweep_options();
  const po::variables_map values = parse_options(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  const Request request = request_from(values);
  const Asked asked = read_points(values);
  const PointOutlooks points = share_of(asked.outlooks, request.share);
  const std::string path = file_of(request.share, request.results);
  std::optional<ResultsStore> store;
  if (!path.empty()) tell_what_was_there(store.emplace(path, asked.inputs), path, points);
  SweepLedger ledger(asked.inputs, store ? &*store : nullptr);
  simulate(asked, points, ledger);
  int status = ledger.failed() ? 1 : 0;
  if (request.share.whole()) {
    const Sweep sweep = assemble(asked.inputs, ledger.states(), ledger.troubles());
    write_outputs(sweep, request, asked.jobs, ledger);
    status = status_of(sweep, ledger.failed());
  } else {
    std::cout << share_text(request.share, points, ledger, path) << std::flush;
  }
  for (const auto& [point, why] : ledger.troubles())
    if (store)
      std::fprintf(stderr, "simtrain: note: %s: %s; the same command tries it again\n", ledger.label(point).c_str(),
                   why.c_str());
  if (store && !store->trouble().empty())
    throw Failure("results file '" + path + "': the last results could not be written: " + store->trouble() +
                  "; those before them are in it");
  return status;
}

}  // namespace simtrain
