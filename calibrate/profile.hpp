// A profile: what a node's kernels cost, measured, and its messages (calibrate/network_section.hpp) if they were
// measured too. It has a birth certificate and a domain, keeps its samples, and says how well its fits predict samples
// that were kept aside. JSON, schema in docs/profile.schema.json.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/network_section.hpp"
#include "calibrate/profile_types.hpp"
#include "kernels/cost_model.hpp"

namespace simtrain {

class KernelTimes;  // calibrate/kernel_times.hpp
struct Load;

inline constexpr int kProfileVersion = 2;

struct Certificate {
  std::string machine, cpu, blas, blas_core_type, compiler, date, command;
  int threads = 1;
  std::uint64_t seed = 0;
  std::string environment;  // variables that steer the BLAS: "OPENBLAS_CORETYPE=Haswell"
  std::string operands;     // where the kernels' operands lay while they were measured
};

// The core type of products that were not measured by us.
inline constexpr std::string_view kImported = "imported";

// All repetitions of one call, to four significant digits; `kept_aside` samples took no part in the fit and judge it.
struct Sample {
  Call call;
  std::vector<double> seconds;
  bool kept_aside = false;
  bool operator==(const Sample&) const = default;
};

enum class FitMethod { polynomial, nearest, piecewise };  // calibrate/fit.hpp

class Profile final : public CostModel {
 public:
  // Strict: InputError naming file, line or key, and what was expected.
  static Profile from_json(const std::string& path, const std::string& text);
  static Profile read(const std::string& path);
  // As read(), which most programs need little of: that it is JSON, the certificate, and which kernels were measured
  // under which loads is read at once, the rest when it is first asked for. What is wrong there is refused then.
  static Profile open(const std::string& path);
  // Fits the samples of every kernel present. Of the samples of a kernel at least one is not kept aside.
  static Profile fit(Certificate certificate, std::vector<Sample> samples);

  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;
  ~Profile() override;

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] const Certificate& certificate() const;
  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const NetworkSection& network() const;
  void set_network(NetworkSection network);
  [[nodiscard]] const std::vector<Sample>& samples() const;  // of one process alone

  // Of one process alone on its node, with the certificate's threads.
  [[nodiscard]] Estimate estimate(const Call& call) const override;

  // What was measured, by load. One process alone is always there.
  [[nodiscard]] const std::map<Load, KernelTimes>& loads() const;
  // Kernels that `times` lacks take what they take alone.
  void add(const Load& load, KernelTimes times);
  // Times for a load: those measured with as many threads, and with as many processes or the next larger number (or
  // the largest that was measured, which the load then exceeds). InputError when that many threads were not measured.
  [[nodiscard]] const KernelTimes& at(const Load& load) const;
  // Whether it has more processes than were measured with that many threads.
  [[nodiscard]] bool exceeded_by(const Load& load) const;

 private:
  Profile();
  static Profile in_parts(const std::string& path, const std::string& text);
  struct State;
  std::unique_ptr<State> state_;
};

// CPU model and host name of the machine we run on, for the certificate and for "another machine's profile".
struct MachineIdentity {
  std::string machine, cpu;
};
MachineIdentity this_machine();

}  // namespace simtrain
