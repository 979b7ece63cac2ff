#include "calibrate/check_command.hpp"

#include <mpi.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/drift.hpp"
#include "calibrate/interrupt.hpp"
#include "calibrate/measure.hpp"
#include "calibrate/message_bench.hpp"
#include "calibrate/mpi_ranks.hpp"
#include "kernels/blas_kernels.hpp"
#include "report/table.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate check PROFILE measures some of a profile's samples again, in half a minute, and tells how far this\n"
    "machine is from it. Exit status 1 when something differs by more than the threshold. Under mpirun it measures\n"
    "messages as well: two processes of one node (local), two nodes (remote), or three for both.\n\n"
    "  calibrate check node.json\n"
    "  mpirun -n 2 calibrate check node.json\n\n";

po::options_description options() {
  po::options_description options("Options");
  const auto word = [](const char* name, const char* fallback) {
    return po::value<std::string>()->default_value(fallback)->value_name(name);
  };
  options.add_options()("threshold", word("PERCENT", "10"), "a difference above it is a finding")(
      "seconds", word("S", "20"), "time for measuring kernels; messages take half of it on top")("help", "this text");
  return options;
}

std::string signed_percent(double change) { return (change >= 0 ? "+" : "") + format_percent(change); }

void print(const std::string& what, const std::vector<Drift>& drifts, double threshold) {
  using Align = Table::Align;
  Table table({{what, Align::left},
               {"points", Align::right},
               {"change", Align::right, "now against the profile"},
               {"least", Align::right, "now against the profile"},
               {"most", Align::right, "now against the profile"},
               {"most at", Align::left, "now against the profile"},
               {"", Align::left}});
  for (const Drift& drift : drifts) {
    const auto change = [](const Drift::Point& point) { return point.now_s / point.profile_s - 1; };
    const auto [least, most] =
        std::minmax_element(drift.points.begin(), drift.points.end(),
                            [&](const Drift::Point& a, const Drift::Point& b) { return change(a) < change(b); });
    table.row({drift.what, std::to_string(drift.points.size()), signed_percent(drift.change),
               signed_percent(change(*least)), signed_percent(change(*most)), most->at,
               drift.beyond(threshold) ? "differs" : ""});
  }
  std::cout << table.text();
}

// What the findings mean for predictions.
void print_touched(const std::vector<Drift>& drifts, double threshold) {
  std::cout << "\nPredictions with this profile are off on this machine in:\n";
  for (const Drift& drift : drifts)
    if (drift.beyond(threshold))
      std::cout << "  " << drift.used_in << ": " << drift.what << " takes " << format_percent(std::abs(drift.change))
                << (drift.change > 0 ? " longer" : " less time") << " than the profile says\n";
  std::cout
      << "Measure again with 'calibrate kernels' or 'calibrate network', or check again when the machine is idle.\n";
}

void warn_of_other_machine(const Certificate& certificate) {
  const MachineIdentity here = this_machine();
  const BlasIdentity blas = blas_identity();
  if (certificate.cpu != here.cpu)
    std::cout << "  note: the profile is of another processor: '" << certificate.cpu << "'; this one is '" << here.cpu
              << "'\n";
  if (certificate.blas != blas.library || certificate.blas_core_type != blas.core_type)
    std::cout << "  note: the profile is of " << certificate.blas << ", " << certificate.blas_core_type
              << " kernels; here " << blas.library << ", " << blas.core_type << " kernels\n";
}

struct Request {
  bool help = false;
  double threshold = 0, seconds = 0;
  std::optional<Profile> profile;
  std::vector<Sample> telling;  // kernel calls to measure; none: the profile has messages only
};

Request read_request(const std::vector<std::string>& arguments) {
  std::vector<std::string> rest = arguments;
  const std::string name = take_first(rest);
  const po::variables_map values = parse_options(rest, options());
  Request request;
  request.help = given(values, "help");
  if (request.help) return request;
  if (name.empty()) throw InputError("check: no profile; expected its name first (--help tells more)");
  request.threshold = parse_positive("--threshold", text_of(values, "threshold")) / 100;
  request.seconds = parse_positive("--seconds", text_of(values, "seconds"));
  request.profile = Profile::read(find_data_file("profile", "profiles", name, ".json").string());
  if (const Certificate& certificate = request.profile->certificate(); certificate.blas_core_type == kImported)
    throw InputError("profile '" + request.profile->path() + "' was imported: its products are of " + certificate.blas +
                     " on " + certificate.cpu + "; expected one that 'calibrate kernels' measured");
  request.telling = telling_samples(*request.profile, request.seconds / 200);
  if (request.telling.empty() && !request.profile->samples().empty())
    throw InputError("profile '" + request.profile->path() +
                     "': no sample can be measured again here within --seconds");
  return request;
}

// Nothing when it was interrupted.
std::optional<std::vector<Drift>> kernel_drifts(const Request& request) {
  if (request.telling.empty()) return std::vector<Drift>{};
  constexpr std::int64_t kFloats = std::int64_t{1} << 27;  // of each of the workbench's memories: 512 MiB
  const InterruptWatch watch;
  Workbench bench(kFloats, 1);
  std::vector<Call> calls;
  for (const Sample& sample : request.telling)
    if (bench.fits(sample.call)) calls.push_back(sample.call);
  MeasureOptions measuring{request.seconds, 31, 1};
  measuring.stop = [] { return InterruptWatch::interrupted(); };
  const Measurements now = measure(bench, calls, measuring);
  if (now.stopped) return {};
  return drift_of(request.telling, now.samples);
}

constexpr std::int64_t kLargestMessage = std::int64_t{16} << 20;

std::vector<Drift> message_drifts(const Request& request, const NetworkPlace& place, const std::vector<int>& pair) {
  MessageBench bench(pair, kLargestMessage);
  NetworkMeasureOptions measuring;
  measuring.budget_s = request.seconds / 2;
  measuring.largest_bytes = kLargestMessage;
  measuring.sizes = telling_sizes(place, kLargestMessage);
  measuring.now_s = [] { return MPI_Wtime(); };
  const auto now =
      measure_messages([&](const Probe& probe) { return bench.time_s(probe); }, telling_timings(place), measuring);
  bench.stop();
  return drift_of(place, now);
}

// Collective; what rank 0 decided about each place is told to the rank that would serve it.
std::vector<Drift> check_messages(const Request& request, int rank, int ranks) {
  const Peers peers = find_peers(rank, ranks);
  std::vector<Drift> all;
  for (const bool local : {true, false}) {
    const std::vector<int> pair = Peers::pair_of(local ? peers.local : peers.remote);
    if (!Peers::some(pair)) continue;
    int measured = 0;
    const char* name = local ? "local" : "remote";
    if (rank == 0) {
      const NetworkSection& section = request.profile->network();
      const std::optional<NetworkPlace>& place = local ? section.local : section.remote;
      measured = place ? 1 : 0;
      MPI_Send(&measured, 1, MPI_INT, pair[1], 0, MPI_COMM_WORLD);
      if (!place) {
        std::cout << "\n  note: the profile has no " << name << " messages\n";
        continue;
      }
      const std::vector<Drift> drifts = message_drifts(request, *place, pair);
      std::cout << "\nmessages, " << name << ", measured " << place->certificate.date << "\n\n";
      print("timing", drifts, request.threshold);
      all.insert(all.end(), drifts.begin(), drifts.end());
    } else if (rank == pair[1]) {
      MPI_Recv(&measured, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (measured == 1) MessageBench(pair, kLargestMessage).serve();
    }
  }
  return all;
}

void print_kernels(const Request& request, const std::vector<Drift>& drifts) {
  const Profile& profile = *request.profile;
  std::cout << "profile " << profile.path() << ", measured " << profile.certificate().date << " on "
            << profile.certificate().machine << "\n";
  warn_of_other_machine(profile.certificate());
  std::cout << "\n";
  if (drifts.empty())
    std::cout << "It has no kernels, only messages.\n";
  else
    print("kernel", drifts, request.threshold);
}

// The exit status.
int conclude(const Request& request, const std::vector<Drift>& drifts) {
  const bool differs =
      std::any_of(drifts.begin(), drifts.end(), [&](const Drift& drift) { return drift.beyond(request.threshold); });
  if (differs)
    print_touched(drifts, request.threshold);
  else
    std::cout << "\nAll that was measured is within " << format_percent(request.threshold) << " of the profile.\n";
  return differs ? 1 : 0;
}

constexpr int kInterrupted = 130;  // 128 + SIGINT, as a shell reports it

int check_alone(const Request& request) {
  const std::optional<std::vector<Drift>> drifts = kernel_drifts(request);
  if (!drifts) return kInterrupted;
  print_kernels(request, *drifts);
  if (!request.profile->network().empty())
    std::cout << "\n  note: its messages were not measured again; mpirun -n 2 calibrate check does that\n";
  return conclude(request, *drifts);
}

// Rank 0 reads the request and measures kernels, while the others sleep.
int check_over_mpi(const std::vector<std::string>& arguments, int rank, int ranks) {
  constexpr int kGoOn = -1;
  Request request;
  int status = kGoOn;
  if (rank == 0)
    status = run_guarded("calibrate", [&] {
      request = read_request(arguments);
      if (request.help) std::cout << kUsage << options();
      return request.help ? 0 : kGoOn;
    });
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (status != kGoOn) return status;
  std::vector<Drift> drifts;
  if (rank == 0) {
    if (auto of_kernels = kernel_drifts(request)) {
      drifts = std::move(*of_kernels);
      print_kernels(request, drifts);
    } else {
      status = kInterrupted;
    }
  }
  wait_for_all();
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (status != kGoOn) return status;
  const std::vector<Drift> of_messages = check_messages(request, rank, ranks);
  drifts.insert(drifts.end(), of_messages.begin(), of_messages.end());
  wait_for_all();
  if (rank == 0) status = conclude(request, drifts);
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return status;
}

}  // namespace

int check_command(const std::vector<std::string>& arguments) {
  if (started_processes() > 1)
    return run_over_mpi([&](int rank, int ranks) { return check_over_mpi(arguments, rank, ranks); });
  const Request request = read_request(arguments);
  if (!request.help) return check_alone(request);
  std::cout << kUsage << options();
  return 0;
}

}  // namespace simtrain
