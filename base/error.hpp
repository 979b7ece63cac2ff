// Two families of errors (docs/decisions/0003-errors.md).
//
// InputError: something the user gave us is wrong. Its text names the file or option, the value and what was
// expected; programs print it and exit with 2.
// Anything else derived from std::exception is a failure of ours or of the machine: exit 1.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A failure that is not the user's input: a deadlock of the simulation, a full disk, a child that died.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The choice that `word`, or what is before its last dot, may mean: the first that begins with it, else that with the
// smallest edit distance (the first wins ties) if that is at most a third of the longer one's letters; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& choices);

// "; did you mean 'alexnet'?", or nothing when no choice is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& choices);

// The text "network 'alexnt' is not known; did you mean 'alexnet'? Known: alexnet, mlp"; without the question when no
// choice is near.
std::string unknown_choice(std::string_view what, std::string_view word, const std::vector<std::string>& choices);

// Runs `body` and turns exceptions into "PROGRAM: error: text" on stderr, one line of printable characters, and an exit
// status: 2 for InputError, 1 for any other exception and for output that could not be written, else what body
// returned. Standard streams that are closed are held (base/standard_streams.hpp).
int run_guarded(std::string_view program, const std::function<int()>& body);

// A broken invariant of ours: prints file, line and message, then aborts. Always on: the checks are cheap.
[[noreturn]] void invariant_failed(const char* file, int line, const char* condition, const std::string& message);

}  // namespace simtrain

#define SIMTRAIN_INVARIANT(condition, message) \
  ((condition) ? static_cast<void>(0) : ::simtrain::invariant_failed(__FILE__, __LINE__, #condition, (message)))
