#include "calibrate/profile.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/files.hpp"
#include "calibrate/profile_state.hpp"

namespace simtrain {

Profile::Profile() : state_(std::make_unique<State>()) {}
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;
Profile::~Profile() = default;

Profile Profile::read(const std::string& path) { return from_json(path, read_file("profile", path)); }

Profile Profile::fit(Certificate certificate, std::vector<Sample> samples) {
  Profile profile;
  State& state = *profile.state_;
  state.path = "(just measured)";
  state.certificate = std::move(certificate);
  state.samples = std::move(samples);
  for (Sample& sample : state.samples)
    for (double& seconds : sample.seconds) seconds = to_four_digits(seconds);  // as the file will hold them
  for (const auto& [kernel, of_kernel] : by_kernel(state.samples))
    state.fits.emplace(kernel, KernelFit::fit(kernel, of_kernel));
  return profile;
}

const Certificate& Profile::certificate() const { return state_->certificate; }
const std::string& Profile::path() const { return state_->path; }
const NetworkSection& Profile::network() const { return state_->network; }
void Profile::set_network(NetworkSection network) { state_->network = std::move(network); }
const std::vector<Sample>& Profile::samples() const { return state_->samples; }

std::map<Kernel, FitError> Profile::errors() const {
  std::map<Kernel, FitError> errors;
  for (const auto& [kernel, fit] : state_->fits) errors.emplace(kernel, fit.error());
  return errors;
}

FitMethod Profile::method(Kernel kernel) const { return state_->fits.at(kernel).method(); }

Estimate Profile::estimate(const Call& call) const {
  const auto fit = state_->fits.find(call.kernel);
  if (fit == state_->fits.end())
    throw InputError("profile '" + state_->path + "': kernel '" + std::string(name_of(call.kernel)) +
                     "' is missing; measure it with 'calibrate kernels' or choose another profile");
  return fit->second.estimate(call);
}

std::map<Kernel, std::vector<Sample>> by_kernel(const std::vector<Sample>& samples) {
  std::map<Kernel, std::vector<Sample>> groups;
  for (const Sample& sample : samples) groups[sample.call.kernel].push_back(sample);
  return groups;
}

double to_four_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3e", value);
  return std::strtod(text.data(), nullptr);
}

}  // namespace simtrain
