#include "base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>

#include "base/printable.hpp"
#include "base/standard_streams.hpp"

namespace simtrain {

namespace {

// Letters put in, left out, exchanged, or swapped with the next one (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    cost[i][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  constexpr std::size_t kPart = 3, kShortestBeginning = 3;
  if (word.size() >= kShortestBeginning)
    for (const std::string& one : choices)
      if (one.starts_with(word)) return one;
  const auto best = std::min_element(choices.begin(), choices.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  if (best == choices.end()) return {};
  const std::size_t most = std::max<std::size_t>(1, std::max(word.size(), best->size()) / kPart);
  if (edit_distance(word, *best) <= most) return *best;
  // trous.xml is near to torus: what is known by name is often given as a file's.
  const std::size_t extension = word.rfind('.');
  return extension == std::string_view::npos ? std::string() : nearest(word.substr(0, extension), choices);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& choices) {
  const std::string near = nearest(word, choices);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::string unknown_choice(std::string_view what, std::string_view word, const std::vector<std::string>& choices) {
  std::string text = std::string(what) + " '" + std::string(word) + "' is not known";
  if (choices.empty()) return text;
  const std::string question = did_you_mean(word, choices);
  text += question.empty() ? ". Known: " : question + " Known: ";
  for (std::size_t i = 0; i < choices.size(); ++i) text += (i ? ", " : "") + choices[i];
  return text;
}

int run_guarded(std::string_view program, const std::function<int()>& body) {
  hold_standard_streams();
  const auto complain = [&](const char* what) {
    std::fflush(stdout);
    std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(),
                 message_line(what).c_str());
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
