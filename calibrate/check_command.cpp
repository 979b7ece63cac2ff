#include "calibrate/check_command.hpp"

#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/drift.hpp"
#include "calibrate/interrupt.hpp"
#include "calibrate/measure.hpp"
#include "kernels/blas_kernels.hpp"
#include "report/table.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate check PROFILE measures some of a profile's samples again, in half a minute, and tells how far this\n"
    "machine is from it. Exit status 1 when a kernel differs by more than the threshold.\n\n"
    "  calibrate check node.json\n\n";

po::options_description options() {
  po::options_description options("Options");
  const auto word = [](const char* name, const char* fallback) {
    return po::value<std::string>()->default_value(fallback)->value_name(name);
  };
  options.add_options()("threshold", word("PERCENT", "10"), "a difference above it is a finding")(
      "seconds", word("S", "20"), "time for measuring")("help", "this text");
  return options;
}

std::string signed_percent(double change) { return (change >= 0 ? "+" : "") + format_percent(change); }

std::string shape_of(const Call& call) {
  return std::to_string(call.m) +
         (call.n == 1 && call.k == 1 ? "" : " x " + std::to_string(call.n) + " x " + std::to_string(call.k));
}

void print(const std::vector<Drift>& drifts, double threshold) {
  using Align = Table::Align;
  Table table({{"kernel", Align::left},
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
    table.row({std::string(name_of(drift.kernel)), std::to_string(drift.points.size()), signed_percent(drift.change),
               signed_percent(change(*least)), signed_percent(change(*most)), shape_of(most->call),
               drift.beyond(threshold) ? "differs" : ""});
  }
  std::cout << table.text();
}

// What the findings mean for predictions.
void print_touched(const std::vector<Drift>& drifts, double threshold) {
  std::cout << "\nPredictions with this profile are off on this machine in:\n";
  for (const Drift& drift : drifts)
    if (drift.beyond(threshold))
      std::cout << "  " << used_in(drift.kernel) << ": " << name_of(drift.kernel) << " takes "
                << format_percent(std::abs(drift.change)) << (drift.change > 0 ? " longer" : " less time")
                << " than the profile says\n";
  std::cout << "Measure a new one with 'calibrate kernels', or check again when the machine is idle.\n";
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

}  // namespace

int check_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> rest = arguments;
  const std::string name = take_first(rest);
  const po::variables_map values = parse_options(rest, options());
  if (given(values, "help")) {
    std::cout << kUsage << options();
    return 0;
  }
  if (name.empty()) throw InputError("check: no profile; expected its name first (--help tells more)");
  const double threshold = parse_positive("--threshold", text_of(values, "threshold")) / 100;
  const double seconds = parse_positive("--seconds", text_of(values, "seconds"));
  const Profile profile = Profile::read(find_data_file("profile", "profiles", name, ".json").string());
  const std::vector<Sample> before = telling_samples(profile, seconds / 200);
  if (before.empty())
    throw InputError("profile '" + profile.path() + "': no sample can be measured again here within --seconds");
  constexpr std::int64_t kFloats = std::int64_t{1} << 27;  // of each of the workbench's memories: 512 MiB
  const InterruptWatch watch;
  Workbench bench(kFloats, 1);
  std::vector<Call> calls;
  for (const Sample& sample : before)
    if (bench.fits(sample.call)) calls.push_back(sample.call);
  MeasureOptions measuring{seconds, 31, 1};
  measuring.stop = [] { return InterruptWatch::interrupted(); };
  const Measurements now = measure(bench, calls, measuring);
  if (now.stopped) return 130;
  const std::vector<Drift> drifts = drift_of(before, now.samples);
  std::cout << "profile " << profile.path() << ", measured " << profile.certificate().date << " on "
            << profile.certificate().machine << "\n";
  warn_of_other_machine(profile.certificate());
  std::cout << "\n";
  print(drifts, threshold);
  const bool differs =
      std::any_of(drifts.begin(), drifts.end(), [&](const Drift& drift) { return drift.beyond(threshold); });
  if (differs)
    print_touched(drifts, threshold);
  else
    std::cout << "\nEvery kernel is within " << format_percent(threshold) << " of the profile.\n";
  return differs ? 1 : 0;
}

}  // namespace simtrain
