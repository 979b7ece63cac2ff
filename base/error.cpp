#include "base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>

namespace simtrain {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
    }
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  const auto best = std::min_element(choices.begin(), choices.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  return best == choices.end() ? std::string() : *best;
}

std::string unknown_choice(std::string_view what, std::string_view word, const std::vector<std::string>& choices) {
  std::string text = std::string(what) + " '" + std::string(word) + "' is not known";
  if (choices.empty()) return text;
  text += "; did you mean '" + nearest(word, choices) + "'? Known: ";
  for (std::size_t i = 0; i < choices.size(); ++i) text += (i ? ", " : "") + choices[i];
  return text;
}

int run_guarded(std::string_view program, const std::function<int()>& body) {
  const auto complain = [&](const char* what) {
    std::fflush(stdout);
    std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(), what);
  };
  try {
    const int status = body();
    std::cout.flush();
    if (!std::cout || std::fflush(stdout) != 0) throw Failure("standard output could not be written");
    return status;
  } catch (const InputError& error) {
    complain(error.what());
    return 2;
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}

void invariant_failed(const char* file, int line, const char* condition, const std::string& message) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s: %s\n", file, line, condition, message.c_str());
  std::abort();
}

}  // namespace simtrain
