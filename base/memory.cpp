#include "base/memory.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace simtrain {

std::optional<double> available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (double kibibytes = 0; file >> key >> kibibytes; std::getline(file, unit))
    if (key == "MemAvailable:") return 1024 * kibibytes;
  return {};
}

double total_bytes() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace simtrain
