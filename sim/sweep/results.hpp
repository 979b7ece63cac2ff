// The text of results files: a header, then a line of JSON for whatever is known of a point, in the order in which it
// became known. A line is whole when it ends in '\n'.
//
//   {"format":"simtrain-sweep-results","version":1,"program":"0.1.0","inputs":"<SHA-256>","options":{...},"files":{...},
//    "dimensions":{"network":["alexnet"],...},"grids":["1x256",...]}
//   {"point":3,"lower_bound_s":0.21}                  with --prune, before it is simulated or skipped
//   {"point":3,"result":{...}}                        docs/result.schema.json; without its replicas
//   {"point":4,"error":"--batch: 7 ..."}              it makes no sense, and never will
//   {"point":5,"skipped":true}                        it cannot win
//   {"point":3,"replica":0,"iteration_s":0.3}         or "error" in place of the seconds
// A point whose simulation failed (its process was killed, the machine's memory ran out) has no line: it is to be tried
// again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.hpp"
#include "sim/sweep/space.hpp"

namespace simtrain {

inline constexpr int kResultsVersion = 1;

// All that the results of a sweep depend on.
struct SweepInputs {
  SweepSpace space;
  std::map<std::string, std::string> options;  // those that do not vary, as given or by default
  std::map<std::string, std::string> files;    // "network 'alexnet'": SHA-256 of its contents

  [[nodiscard]] int replicas() const;      // 0: none
  [[nodiscard]] bool pruned() const;       // --prune
  [[nodiscard]] std::string line() const;  // the header, '\n' included
};

// Strict. InputError "results file 'PATH' ..." for what is no header of ours, or of another version of the format or
// the program.
SweepInputs parse_header(const std::string& path, std::string_view line);
// InputError that says what differs, when `theirs`, of `path`, is another sweep than `ours`, of `ours_name`.
void check_same_sweep(const std::string& path, const SweepInputs& theirs, const std::string& ours_name,
                      const SweepInputs& ours);

struct PointState {
  std::optional<Result> result;
  std::optional<std::string> error;
  bool skipped = false;
  std::optional<double> lower_bound_s;
  std::map<int, double> replicas;             // seconds, by number
  std::map<int, std::string> replica_errors;  // by number
  // Nothing more is to be simulated, but replicas.
  [[nodiscard]] bool settled() const { return result || error || skipped; }
};
using PointStates = std::map<std::size_t, PointState>;

// Adds what another file knows of a point. Twice is fine when it is the same, as where shares overlap. InputError
// "another result than ..." when it is not.
void join(PointState& known, PointState other);

std::string result_line(std::size_t point, const std::string& result_json);
std::string error_line(std::size_t point, const std::string& error);
std::string skipped_line(std::size_t point);
std::string bound_line(std::size_t point, double lower_bound_s);
std::string replica_line(std::size_t point, int replica, double iteration_s);
std::string replica_error_line(std::size_t point, int replica, const std::string& error);

// Adds what a line says. InputError "results file 'PATH', line N: ..." for anything but those of above, for points and
// replicas there are none of, and for another result than one that is known already.
void read_line(const std::string& path, std::size_t number, std::string_view line, const SweepInputs& inputs,
               PointStates& states);

// A results file that nobody need be writing: a last line that is not whole is left out.
struct ResultsFile {
  SweepInputs inputs;
  PointStates states;
  bool cut_off = false;  // there was one
};
ResultsFile read_results(const std::string& path);

}  // namespace simtrain
