#include "calibrate/certificate.hpp"

#include <algorithm>

#include "base/date.hpp"
#include "kernels/blas_kernels.hpp"

extern char** environ;

namespace simtrain {

std::string environment_of(const std::vector<std::string_view>& prefixes) {
  std::vector<std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable)
    for (const std::string_view prefix : prefixes)
      if (std::string_view(*variable).starts_with(prefix)) found.emplace_back(*variable);
  std::sort(found.begin(), found.end());
  std::string text;
  for (const std::string& variable : found) text += (text.empty() ? "" : " ") + variable;
  return text;
}

Certificate certify(const std::string& machine, const std::string& command, std::uint64_t seed,
                    const std::string& operands) {
  const MachineIdentity here = this_machine();
  const BlasIdentity blas = blas_identity();
  Certificate certificate;
  certificate.machine = machine.empty() ? here.machine : machine;
  certificate.cpu = here.cpu;
  certificate.blas = blas.library;
  certificate.blas_core_type = blas.core_type;
  certificate.environment = environment_of({"OPENBLAS_", "GOTO_NUM_THREADS=", "OMP_NUM_THREADS="});
  certificate.compiler = "g++ " __VERSION__;
  certificate.threads = blas.threads;
  certificate.operands = operands;
  certificate.date = now_utc();
  certificate.command = command;
  certificate.seed = seed;
  return certificate;
}

}  // namespace simtrain
