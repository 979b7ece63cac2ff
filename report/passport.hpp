// Where a result comes from, so that it can be had again: what was asked for, with which versions, from which files.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace simtrain {

struct PassportInput {
  std::string option, name;  // "platform", "torus.xml": as given
  std::string sha256;        // of the file that it meant
  bool operator==(const PassportInput&) const = default;
};

struct Passport {
  std::string program;                          // "simtrain", "mpitrain"
  std::vector<std::string> arguments;           // as typed
  std::map<std::string, std::string> versions;  // "SimGrid": "3.32"; the program's own is the result's
  std::vector<PassportInput> inputs;            // every file that was read
  std::string host, date;                       // who made it, and when (UTC): all that differs from run to run
  bool operator==(const Passport&) const = default;
};

}  // namespace simtrain
