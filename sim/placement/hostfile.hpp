// Hostfiles in the syntax of Open MPI: a host a line, in the order in which ranks are to fill them.
//
//   # the third rack
//   host-3 slots=2        two ranks
//   host-4:2              the same in short
//   host-0                as many as --ranks-per-host says
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

struct HostfileLine {
  int number = 0;  // in the file, from 1
  std::string host;
  std::optional<int> slots;
};

struct Hostfile {
  std::string path;
  std::vector<HostfileLine> lines;
};

// InputError "hostfile 'PATH', line L: …" for anything but the syntax above, numbers of slots below 1, a host that has
// a line already; "hostfile 'PATH': …" when it cannot be read or names no host.
Hostfile parse_hostfile(const std::string& path, std::string_view text);
Hostfile read_hostfile(const std::string& path);

// The host of each slot, by its number among `names`. InputError naming file and line, and the nearest host there is,
// for a host that `platform` lacks.
std::vector<int> slots_of(const Hostfile& file, const std::string& platform, const std::vector<std::string>& names,
                          int slots_of_others);

}  // namespace simtrain
