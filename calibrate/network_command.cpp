#include "calibrate/network_command.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "base/date.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/certificate.hpp"
#include "calibrate/message_bench.hpp"
#include "calibrate/mpi_ranks.hpp"
#include "calibrate/network_fit.hpp"
#include "calibrate/network_measure.hpp"
#include "calibrate/network_text.hpp"
#include "calibrate/progress.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate network measures messages between processes, under mpirun, and writes the network section of a profile\n"
    "for simtrain --network-model calibrated. Two processes of one node measure its memory (local), two nodes the\n"
    "network between them (remote); three processes, two of them on one node, measure both. With --loaded all of them\n"
    "talk at once as well, in pairs and round a ring, as the collectives of training do.\n\n"
    "  mpirun -n 2 calibrate network --output net.json\n"
    "  mpirun -n 2 --host a,b calibrate network --add-to node.json --platform-output cluster.xml\n"
    "  mpirun -n 4 --host a,b,c,d calibrate network --loaded --add-to node.json\n\n";

struct Request {
  bool help = false;
  double budget_s = 0;
  std::int64_t largest_bytes = 0;
  std::uint64_t seed = 1;
  bool computing = true, loaded = false;
  int platform_hosts = 2;
  std::string output, platform_output, machine, command;
  std::optional<Profile> add_to;
};

po::options_description options() {
  po::options_description description("Options");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  description.add_options()("help", "this text")  //
      ("output", word("FILE"), "the profile; default: that of --add-to, else standard output")(
          "add-to", word("PROFILE"),
          "put the section into this profile; what it has of the places measured is replaced")(
          "budget", word("MINUTES")->default_value("3"),
          "time for measuring; every size is measured three times at least, whatever it takes")(
          "largest", word("BYTES")->default_value("256MiB"),
          "largest message, up to 1GiB; less where memory or budget do not suffice")(
          "loaded",
          "measure also with all processes at once (three or more on the node, or on different nodes), and "
          "simulate with these times: what a rank sends waits for what it sends or answers to others")(
          "idle-only", word("yes|no")->default_value("no"), "yes: leave out the messages after computing")(
          "seed", word("N")->default_value("1"), "of the sizes, their order and the sizes kept aside")(
          "machine", word("NAME"), "name of the machine; default: the hosts'")(
          "platform-output", word("FILE.xml"), "a SimGrid platform of nodes as measured")(
          "platform-hosts", word("N")->default_value("2"), "its hosts; where one node was measured, its cores");
  return description;
}

Request read_request(const std::vector<std::string>& arguments, int ranks) {
  const po::variables_map values = parse_options(arguments, options());
  Request request;
  request.help = given(values, "help");
  if (request.help) return request;
  if (ranks < 2)
    throw InputError("network: runs with " + std::to_string(ranks) +
                     " process; expected two or more: mpirun -n 2 calibrate network");
  request.budget_s = 60 * parse_positive("--budget", text_of(values, "budget"));
  request.largest_bytes = parse_bytes("--largest", text_of(values, "largest"));
  if (request.largest_bytes > std::int64_t{1} << 30)
    throw InputError("--largest: '" + text_of(values, "largest") + "' is too large; expected at most 1GiB");
  const std::string idle_only = text_of(values, "idle-only");
  if (idle_only != "yes" && idle_only != "no")
    throw InputError(unknown_choice("--idle-only", idle_only, {"yes", "no"}));
  request.computing = idle_only == "no";
  request.loaded = given(values, "loaded");
  request.seed = static_cast<std::uint64_t>(
      parse_integer("--seed", text_of(values, "seed"), 0, std::numeric_limits<std::int64_t>::max()));
  if (given(values, "machine")) request.machine = text_of(values, "machine");
  if (given(values, "add-to")) {
    request.output = find_data_file("profile", "profiles", text_of(values, "add-to"), ".json").string();
    request.add_to = Profile::read(request.output);
  }
  if (given(values, "output")) request.output = text_of(values, "output");
  if (!request.output.empty()) check_writable(given(values, "output") ? "--output" : "--add-to", request.output);
  request.platform_hosts =
      static_cast<int>(parse_integer("--platform-hosts", text_of(values, "platform-hosts"), 2, 1 << 20));
  if (!given(values, "platform-output") && !values["platform-hosts"].defaulted())
    throw InputError("--platform-hosts: is of use with --platform-output only; expected that as well");
  if (given(values, "platform-output")) {
    request.platform_output = text_of(values, "platform-output");
    if (!request.platform_output.ends_with(".xml"))
      throw InputError("--platform-output: '" + request.platform_output + "' is not valid; expected a name in .xml");
    check_writable("--platform-output", request.platform_output);
  }
  request.command = shell_command("mpirun -n " + std::to_string(ranks) + " calibrate network", arguments);
  return request;
}

// Both memories of both processes within half of the machine's.
std::int64_t affordable(std::int64_t largest_bytes) {
  constexpr std::int64_t kMemories = 8;
  const std::int64_t most = std::max<std::int64_t>(1, static_cast<std::int64_t>(total_bytes()) / 2 / kMemories);
  if (largest_bytes > most)
    std::fprintf(stderr, "calibrate: messages up to %s only: this machine's memory does not suffice for more\n",
                 format_bytes(static_cast<double>(most)).c_str());
  return std::min(largest_bytes, most);
}

using HostNames = std::vector<MachineIdentity>;  // by rank; on rank 0 only

HostNames gather_names(int rank, int ranks) {
  constexpr std::size_t kLength = 256;
  struct Name {
    char machine[kLength], cpu[kLength];
  };
  const MachineIdentity here = this_machine();
  Name mine{};
  std::strncpy(mine.machine, here.machine.c_str(), kLength - 1);
  std::strncpy(mine.cpu, here.cpu.c_str(), kLength - 1);
  std::vector<Name> names(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, names.data(), sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  HostNames result;
  for (const Name& name : names) result.push_back({name.machine, name.cpu});
  return result;
}

std::string both(const std::string& a, const std::string& b) { return a == b ? a : a + " and " + b; }

PlaceCertificate certify_place(const Request& request, const HostNames& names, int peer) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
  int length = 0;
  MPI_Get_library_version(library.data(), &length);
  const std::string version(library.data());
  const MachineIdentity& here = names.front();
  const MachineIdentity& there = names[static_cast<std::size_t>(peer)];
  PlaceCertificate certificate;
  certificate.machine = request.machine.empty() ? both(here.machine, there.machine) : request.machine;
  certificate.cpu = both(here.cpu, there.cpu);
  certificate.mpi = version.substr(0, version.find(','));
  certificate.settings = environment_of({"OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_mtl", "OMPI_MCA_mpi_"});
  certificate.date = now_utc();
  certificate.command = request.command;
  certificate.seed = request.seed;
  return certificate;
}

NetworkPlace measure_place(const Request& request, MessageBench& bench, bool local, bool loaded, double budget_s) {
  using enum MessageTiming;
  std::vector<MessageTiming> timings{one_way_idle, exchange_idle, send_call, isend_call, late_receive};
  if (local) timings.push_back(one_way_by_clock);
  if (request.computing) timings.insert(timings.end(), {one_way_computing, exchange_computing});
  if (loaded) timings.insert(timings.end(), {exchange_loaded, shift_loaded, pair_loaded, rotation_loaded});
  Progress progress("messages");
  NetworkMeasureOptions measuring;
  measuring.budget_s = budget_s;
  measuring.largest_bytes = request.largest_bytes;
  measuring.seed = request.seed;
  measuring.now_s = [] { return MPI_Wtime(); };
  measuring.progress = [&](double fraction, int pass) { progress(fraction, pass); };
  auto samples = measure_messages([&](const Probe& probe) { return bench.time_s(probe); }, timings, measuring);
  progress.end();
  // What comes first are the smallest sizes, which say nothing of a bandwidth.
  constexpr std::size_t kFewestSizes = 8;
  for (const auto& [timing, of_timing] : samples)
    if (of_timing.size() < kFewestSizes)
      std::fprintf(
          stderr,
          "calibrate: warning: only %zu sizes of %s were measured in %s, too few for its bandwidth (and that of "
          "a platform file); give it a larger --budget, or --largest\n",
          of_timing.size(), std::string(name_of(timing)).c_str(), format_seconds(budget_s).c_str());
  NetworkPlace place;
  for (auto& [timing, of_timing] : samples) place.curves.emplace(timing, fit_curve(std::move(of_timing)));
  set_reference(place);
  return place;
}

constexpr std::size_t kFewestLoaded = 3;

std::vector<int> taking_part(const std::vector<int>& place, bool loaded) {
  return loaded && place.size() >= kFewestLoaded ? place : Peers::pair_of(place);
}

void drive(Request& request, const Peers& peers, const HostNames& names) {
  std::fprintf(stderr, "calibrate: seed %llu\n", static_cast<unsigned long long>(request.seed));
  const int places = Peers::some(peers.local) + Peers::some(peers.remote);
  NetworkSection section = request.add_to ? request.add_to->network() : NetworkSection{};
  for (const bool local : {true, false}) {
    const std::vector<int> group = taking_part(local ? peers.local : peers.remote, request.loaded);
    if (!Peers::some(group)) continue;
    MessageBench bench(group, request.largest_bytes);
    NetworkPlace place = measure_place(request, bench, local, request.loaded && group.size() >= kFewestLoaded,
                                       request.budget_s / places);
    bench.stop();
    place.certificate = certify_place(request, names, group[1]);
    (local ? section.local : section.remote) = std::move(place);
  }
  if (!request.add_to)
    request.add_to =
        Profile::fit(certify(request.machine, request.command, request.seed, "no kernel was measured"), {});
  request.add_to->set_network(section);
  if (request.output.empty())
    std::cout << request.add_to->to_json();
  else
    write_file(request.output, request.add_to->to_json());
  if (!request.platform_output.empty())
    write_file(request.platform_output, xml_platform(section, request.platform_hosts));
  std::cerr << to_text(section);
}

// What rank 0 found in the options: all ranks end alike. go: 1 measure, 0 nothing to do, -1 wrong input.
struct Verdict {
  std::int64_t go, largest_bytes, loaded;
};

int work(const std::vector<std::string>& arguments, int rank, int ranks) {
  Request request;
  Verdict verdict{1, 0, 0};
  std::string why;
  const Peers peers = find_peers(rank, ranks);
  if (rank == 0) {
    try {
      request = read_request(arguments, ranks);
      if (request.loaded && std::max(peers.local.size(), peers.remote.size()) < kFewestLoaded)
        throw InputError("--loaded: runs on " + std::to_string(peers.remote.size()) + " nodes, with " +
                         std::to_string(peers.local.size()) +
                         " processes on the first; expected three or more of one or the other, so that a process can "
                         "send to another one than it receives from");
      if (!request.help) request.largest_bytes = affordable(request.largest_bytes);
      verdict = {request.help ? 0 : 1, request.largest_bytes, request.loaded ? 1 : 0};
    } catch (const InputError& error) {
      verdict.go = -1;
      why = error.what();
    }
  }
  MPI_Bcast(&verdict, sizeof verdict, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (request.help) std::cout << kUsage << options();
  if (verdict.go < 0 && rank == 0) std::fprintf(stderr, "calibrate: error: %s\n", why.c_str());
  if (verdict.go <= 0) return verdict.go < 0 ? 2 : 0;
  const HostNames names = gather_names(rank, ranks);
  if (rank == 0) {
    drive(request, peers, names);
  } else {
    for (const std::vector<int>* place : {&peers.local, &peers.remote})
      if (const std::vector<int> group = taking_part(*place, verdict.loaded == 1); Peers::in(rank, group))
        MessageBench(group, verdict.largest_bytes).serve();
  }
  wait_for_all();
  return 0;
}

}  // namespace

int network_command(const std::vector<std::string>& arguments) {
  return run_over_mpi([&](int rank, int ranks) { return work(arguments, rank, ranks); });
}

}  // namespace simtrain
