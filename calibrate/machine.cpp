#include <unistd.h>

#include <array>
#include <fstream>

#include "calibrate/profile.hpp"

namespace simtrain {

MachineIdentity this_machine() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  MachineIdentity identity{host.data(), "unknown CPU"};
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      identity.cpu = line.substr(line.find(": ") + 2);
      break;
    }
  return identity;
}

}  // namespace simtrain
