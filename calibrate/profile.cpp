#include "calibrate/profile.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/files.hpp"
#include "calibrate/profile_state.hpp"

namespace simtrain {

double to_four_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3e", value);
  return std::strtod(text.data(), nullptr);
}

Profile::Profile() : state_(std::make_unique<State>()) {}
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;
Profile::~Profile() = default;

Profile Profile::read(const std::string& path) { return from_json(path, read_file("profile", path)); }
Profile Profile::open(const std::string& path) { return in_parts(path, read_file("profile", path)); }

Profile Profile::fit(Certificate certificate, std::vector<Sample> samples) {
  Profile profile;
  profile.state_->path = "(just measured)";
  profile.state_->certificate = std::move(certificate);
  profile.add({profile.certificate().threads, 1}, KernelTimes(std::move(samples)));
  return profile;
}

const Certificate& Profile::certificate() const { return state_->certificate; }
const std::string& Profile::path() const { return state_->path; }
const std::vector<Sample>& Profile::samples() const { return at({certificate().threads, 1}).samples(); }
const std::map<Load, KernelTimes>& Profile::loads() const { return state_->loads; }

const NetworkSection& Profile::network() const {
  if (state_->read_network) {
    state_->network = state_->read_network();
    state_->read_network = nullptr;
  }
  return state_->network;
}

void Profile::set_network(NetworkSection network) {
  state_->network = std::move(network);
  state_->read_network = nullptr;
}

void Profile::add(const Load& load, KernelTimes times) {
  const auto alone = state_->loads.find({certificate().threads, 1});
  if (alone != state_->loads.end()) times.complete_from(alone->second);
  state_->loads.insert_or_assign(load, std::move(times));
}

const KernelTimes& Profile::at(const Load& load) const {
  const KernelTimes* chosen = nullptr;
  std::string known;
  for (const auto& [measured, times] : state_->loads) {  // by threads, then by processes
    if (measured.processes == 1) known += (known.empty() ? "" : ", ") + std::to_string(measured.threads);
    if (measured.threads != load.threads) continue;
    chosen = &times;
    if (measured.processes >= load.processes) break;
  }
  if (chosen == nullptr)
    throw InputError("profile '" + state_->path + "': kernels on " + std::to_string(load.threads) +
                     " threads were not measured; measured on: " + known +
                     ". Measure them with 'calibrate kernels "
                     "--threads " +
                     std::to_string(load.threads) + "'");
  return *chosen;
}

bool Profile::exceeded_by(const Load& load) const {
  return std::none_of(state_->loads.begin(), state_->loads.end(), [&](const auto& measured) {
    return measured.first.threads == load.threads && measured.first.processes >= load.processes;
  });
}

Estimate Profile::estimate(const Call& call) const { return at({certificate().threads, 1}).estimate(call); }

}  // namespace simtrain
