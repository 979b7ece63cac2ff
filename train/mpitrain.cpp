// mpitrain: trains a network for real, on the ranks that mpirun started. The ground truth of simtrain.
#include <mpi.h>

#include <bit>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "calibrate/profile.hpp"
#include "kernels/blas_kernels.hpp"
#include "kernels/worker_kernels.hpp"
#include "report/color.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "train/binding.hpp"
#include "train/epochs.hpp"
#include "train/gather_ranks.hpp"
#include "train/job.hpp"
#include "train/job_files.hpp"
#include "train/rank_clock.hpp"
#include "train/same_request.hpp"
#include "train/trace_options.hpp"
#include "train/trainer.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "mpitrain trains a network on the Pr x Pc ranks that mpirun started, float32, with the same\n"
    "plan, collectives and trainer as simtrain predicts.\n\n"
    "  mpirun -n 4 mpitrain --grid 2x2 --network mlp --iterations 20\n"
    "  mpirun -n 4 --map-by slot:PE=8 --bind-to core mpitrain --grid 2x2 --threads 8\n\n";

// What every rank must know before it trains. Rank 0 alone reports what is wrong with it.
struct Request {
  bool help = false, version = false;
  Job job;
  TraceOptions trace;
  ReportStyle style;
  std::string lines;  // request_lines
  std::vector<std::string> arguments;
  std::vector<InputFile> files;
};

Request read_request(const std::vector<std::string>& arguments, const po::options_description& options, int ranks) {
  const po::variables_map values = parse_options(arguments, options, kGridOptions);
  Request request;
  request.help = given(values, "help");
  request.version = given(values, "version");
  if (request.help || request.version) {
    request.lines = "--help or --version\tgiven\n";
    return request;
  }
  const Grid grid = grid_from(values);
  request.job = job_from(values);
  refuse_auto(request.job.plan.strategy, "the rules that simtrain --strategy auto prints for a platform like this one");
  request.job.plan.grid = grid;
  request.trace = trace_from(values, request.job, ranks);
  request.style = report_style(values);
  request.lines = request_lines(values, request.job);
  request.arguments = arguments;
  request.files = job_files(values);
  std::vector<NamedFile> inputs;
  for (const InputFile& file : request.files) inputs.push_back({file.option, file.path});
  check_apart(outputs_of(values), inputs);
  const Plan plan = make_plan(request.job.network, request.job.plan);
  check_trainable(plan);
  // Of one rank: how many share this node is not known yet.
  if (const auto left = available_bytes(), needed = std::optional(memory_of(plan, {}).total()); left && *needed > *left)
    throw InputError("--batch " + std::to_string(request.job.plan.batch) + " of network '" + request.job.network.name +
                     "' on grid " + to_string(grid) + ": a rank would need " + format_bytes(*needed) +
                     "; expected at most the " + format_bytes(*left) + " that this machine has left");
  if (grid.size() != ranks)
    throw InputError("--grid: " + to_string(grid) + " needs " + std::to_string(grid.size()) +
                     " ranks, but mpirun started " + std::to_string(ranks));
  return request;
}

// Every rank must call it; of use at rank 0.
NativeResult describe_machine(int rank) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const RankPlace mine = own_place();
  std::vector<RankPlace> places(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, places.data(), sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  const MachineIdentity machine = this_machine();
  const BlasIdentity blas = blas_identity();
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string mpi(library, static_cast<std::size_t>(length));
  mpi.resize(mpi.find(',') == std::string::npos ? mpi.size() : mpi.find(','));
  return {.machine = machine.machine,
          .cpu = machine.cpu,
          .mpi = mpi,
          .blas = blas.library + ", " + blas.core_type + " kernels",
          .threads_per_rank = blas.threads,
          .cores = mine.host_cores,
          .hosts = count_hosts(places),
          .binding = describe_binding(places)};
}

// With ideal progress a thread computes and the rank's own communicates.
std::unique_ptr<Kernels> kernels_for(const OverlapOptions& overlap) {
  if (overlap.any() && overlap.progress == Progress::ideal) return std::make_unique<WorkerKernels>(RankClock());
  return std::make_unique<BlasKernels>([] { return MPI_Wtime(); });
}

void warn_of_cores(const Job& job, int rank) {
  const OverlapOptions& overlap = job.plan.overlap;
  int found = 0;
  for (const std::uint64_t word : own_place().cores) found += std::popcount(word);
  const int needed = job.threads + 1;
  if (!overlap.any() || overlap.progress != Progress::ideal || found >= needed || rank != 0) return;
  std::fprintf(
      stderr,
      "mpitrain: warning: --progress ideal wants %d cores for each rank, one of them to communicate, but rank 0 "
      "is bound to %d (mpirun --map-by slot:PE=%d --bind-to core, or --progress polling)\n",
      needed, found, needed);
}

// Of this rank, if it is asked for.
std::optional<TraceRecorder> recorder_for(const std::optional<TimelineRequest>& asked, const Plan& plan, int iterations,
                                          int rank) {
  if (!asked) return std::nullopt;
  TimelineRequest mine = *asked;
  std::vector<int> chosen = asked->ranks.value_or(default_traced_ranks(plan.options.grid));
  std::erase_if(chosen, [&](int one) { return one != rank; });
  mine.ranks = std::move(chosen);
  return std::optional<TraceRecorder>(std::in_place, plan, mine, iterations, [] { return MPI_Wtime(); });
}

int train(const Request& request, int rank) {
  const Job& job = request.job;
  const Plan plan = make_plan(job.network, job.plan);
  const Coordinates me = plan.options.grid.coordinates(rank);
  use_blas_threads(job.threads);
  const std::unique_ptr<Kernels> kernels = kernels_for(plan.options.overlap);
  Collectives collectives(plan.grids(), rank, plan.uses(Algorithm::mpi));
  PhaseLog phases(plan, job.iterations);
  TrainerOptions options = trainer_options(job);
  options.phases = &phases;
  std::optional<TraceRecorder> recorder = recorder_for(request.trace.timeline, plan, job.iterations, rank);
  if (recorder) options.trace = recorder->of_rank(rank);
  if (const std::string warning = blas_warning(blas_identity()); rank == 0 && !warning.empty())
    std::fprintf(stderr, "mpitrain: warning: %s\n", warning.c_str());
  warn_of_cores(job, rank);
  Trainer trainer(plan, me, *kernels, collectives, *job.training_data, options);
  MPI_Barrier(MPI_COMM_WORLD);
  const TrainingRun training = train_job(job, trainer, plan.on(plan.grid_of(plan.loss), me));
  std::optional<Result> result = gather_ranks(plan, training.rank, &phases);
  std::optional<Timeline> timeline;
  if (recorder) timeline = gather_timeline(recorder->finish());
  const NativeResult native = describe_machine(rank);
  if (!result) return 0;
  result->epochs = training.epochs;
  result->kind = "native";
  describe(job, result->job);
  result->job.placement = "mpirun";
  result->job.numerics = "real";
  result->native = native;
  result->timeline = std::move(timeline);
  result->passport =
      make_passport("mpitrain", request.arguments, {{"BLAS", native.blas}, {"MPI", native.mpi}}, request.files);
  print_report(to_text(*result), request.style);  // first: a file that cannot be written must not lose the run
  write_trace(request.trace, *result, "mpitrain");
  result->timeline.reset();
  if (!job.json_path.empty()) write_file(job.json_path, to_json(*result));
  return 0;
}

// Reading the request fails on all ranks or on some; either way one rank says why and all of them end alike. Returns
// the exit status, 0 when every rank goes on.
int agree_on(const std::function<void()>& read, int rank, int ranks) {
  int status = 0;
  std::string why;
  try {
    read();
  } catch (const InputError& error) {
    status = 2;
    why = error.what();
  } catch (const std::exception& error) {
    status = 1;
    why = error.what();
  }
  int speaker = status == 0 ? ranks : rank;
  MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (speaker == rank) std::fprintf(stderr, "mpitrain: error: %s\n", message_line(why).c_str());
  return status;
}

std::string from_rank_0(std::string text, int rank) {
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank != 0) text.assign(static_cast<std::size_t>(length), ' ');
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

int run(const std::vector<std::string>& arguments, int rank, int ranks) {
  po::options_description options(grid_options());
  options.add(job_options(20, 2));
  options.add(epoch_options());
  options.add(trace_options());
  Request request;
  if (const int status = agree_on([&] { request = read_request(arguments, options, ranks); }, rank, ranks); status != 0)
    return status;
  const std::string first = from_rank_0(request.lines, rank);
  if (const int status = agree_on([&] { check_same_request(first, request.lines, rank); }, rank, ranks); status != 0)
    return status;
  if (request.help && rank == 0) std::cout << kUsage << options;
  if (request.version && rank == 0) std::cout << "mpitrain " << SIMTRAIN_VERSION << "\n";
  return request.help || request.version ? 0 : train(request, rank);
}

}  // namespace
}  // namespace simtrain

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);  // a thread may compute; one communicates
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  bool failed = true;
  const int status = simtrain::run_guarded("mpitrain", [&] {
    const int outcome = simtrain::run(arguments, rank, ranks);
    failed = false;
    return outcome;
  });
  // A rank that fails in the middle leaves the others waiting for its messages: end them too.
  if (failed) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return status;
}
