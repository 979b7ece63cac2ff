#include "sim/commands/doctor_command.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/filter.hpp"
#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "kernels/blas_kernels.hpp"
#include "report/json.hpp"
#include "report/page.hpp"
#include "sim/engine/engine.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "simtrain doctor tells which versions there are, what is missing, and tries a tiny simulation and a tiny native "
    "run.\n\n";

// A page of findings, and whether all is well.
struct Findings {
  Page page;
  bool well = true;

  void good(const std::string& what, const std::string& text) { page.fact(what, text); }
  void missing(const std::string& what, const std::string& text) {
    page.fact(what, "MISSING: " + text);
    well = false;
  }
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

fs::path beside_this_program(const char* program) { return fs::read_symlink("/proc/self/exe").parent_path() / program; }

void look_at_versions(Findings& findings) {
  findings.page.heading(std::string("simtrain ") + SIMTRAIN_VERSION + ": what is here");
  findings.good("SimGrid", simgrid_version());
  const BlasIdentity blas = blas_identity();
  const std::string warning = blas_warning(blas);
  findings.good("BLAS", blas.library + ", " + blas.core_type + " kernels" + (warning.empty() ? "" : " -- " + warning));
  const unsigned int cores = std::thread::hardware_concurrency();
  const std::optional<double> left = available_bytes();
  findings.good("machine", counted(cores, "core") + (left ? ", " + format_bytes(*left) + " of memory left" : ""));
  for (const auto& [program, arguments, package, use] :
       {std::tuple{"mpirun", std::vector<std::string>{"--version"}, "openmpi-bin", "native runs"},
        std::tuple{"dot", std::vector<std::string>{"-V"}, "graphviz", "pictures of platforms"},
        std::tuple{"gnuplot", std::vector<std::string>{"--version"}, "gnuplot-nox", "plots of profiles"}}) {
    try {
      const std::string text = first_line(run_filter(program, arguments, "", package));
      findings.good(program, text.empty() ? "found" : text);
    } catch (const Failure&) {
      // Only native runs are part of what the programs are for.
      if (std::string(program) == "mpirun")
        findings.missing(program, std::string("for ") + use + " (Debian package " + package + ")");
      else
        findings.good(program, std::string("not here; for ") + use + " (Debian package " + package + ")");
    }
  }
  for (const char* program : {"mpitrain", "calibrate"})
    if (!fs::exists(beside_this_program(program)))
      findings.missing(program, "expected beside simtrain, as '" + beside_this_program(program).string() + "'");
}

void look_at_data(Findings& findings) {
  using Extensions = std::vector<const char*>;
  for (const auto& [folder, extensions] :
       {std::pair{"platforms", Extensions{".xml", ".platform"}}, std::pair{"scenarios/networks", Extensions{".json"}},
        std::pair{"profiles", Extensions{".json"}}, std::pair{"help", Extensions{".txt"}}}) {
    std::size_t files = 0;
    for (const char* extension : extensions) files += shipped_names(folder, extension).size();
    if (files == 0)
      findings.missing(folder, "expected files in '" + (data_folder() / folder).string() +
                                   "' (SIMTRAIN_DATA chooses another folder)");
    else
      findings.good(folder, counted(static_cast<std::int64_t>(files), "file"));
  }
}

// A folder that is gone, with what is in it, when this object is.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "simtrain-doctor-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Failure("no temporary folder can be made in " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// What `program` writes by --json.
Result result_of(const std::string& program, std::vector<std::string> arguments, const std::string& package) {
  const TemporaryFolder folder;
  const std::string path = folder.file("result.json");
  arguments.insert(arguments.end(), {"--json", path});
  run_filter(program, arguments, "", package);
  return result_from_json(path, read_file("result", path));
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t at = text.rfind('\n');
  return at == std::string::npos ? text : text.substr(at + 1);
}

void try_runs(Findings& findings) {
  findings.page.heading("What works");
  const std::vector<std::string> job{"--network", "mlp", "--batch", "64", "--grid", "2x1", "--iterations", "2"};
  std::optional<Result> simulated, native;
  try {
    std::vector<std::string> arguments{"--platform", "torus:2", "--numerics", "real", "--warm-up", "2"};
    arguments.insert(arguments.end(), job.begin(), job.end());
    simulated = result_of(beside_this_program("simtrain").string(), arguments, "simtrain");
    findings.good("simulation", "2 ranks on torus:2, " + format_seconds(simulated->iteration_s) + " per iteration");
  } catch (const std::exception& error) {
    findings.missing("simulation", last_line(error.what()));
  }
  try {
    // Two processes on one core are slow, not wrong.
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    std::vector<std::string> arguments{"-n", "2", "--oversubscribe", beside_this_program("mpitrain").string()};
    arguments.insert(arguments.end(), job.begin(), job.end());
    native = result_of("mpirun", arguments, "openmpi-bin");
    findings.good("native run", "2 ranks, " + format_seconds(native->iteration_s) + " per iteration");
  } catch (const std::exception& error) {
    findings.missing("native run", last_line(error.what()));
  }
  if (!simulated || !native) return;
  if (simulated->losses == native->losses)
    findings.good("the same numbers", "losses of both agree to the last bit");
  else
    findings.missing("the same numbers", "losses of both differ: is mpitrain of another version?");
}

}  // namespace

int doctor_command(const std::vector<std::string>& arguments) {
  po::options_description options("Options");
  options.add_options()("help", "this text");
  if (given(parse_options(arguments, options), "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  Findings findings;
  look_at_versions(findings);
  look_at_data(findings);
  try_runs(findings);
  findings.page.sentence(findings.well ? "All is well." : "Something is missing: see above.");
  std::cout << findings.page.text();
  return findings.well ? 0 : 1;
}

}  // namespace simtrain
