#include "sim/sweep/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace simtrain {

namespace {

std::string bar(std::size_t done, std::size_t total) {
  constexpr std::size_t kWidth = 20;
  const std::size_t full = total > 0 ? kWidth * done / total : kWidth;
  return "[" + std::string(full, '#') + std::string(kWidth - full, '-') + "] ";
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  const auto two = [](long long large, const char* large_unit, long long small, const char* small_unit) {
    return std::to_string(large) + large_unit + (small > 0 ? " " + std::to_string(small) + small_unit : "");
  };
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return two(whole / 60, " min", whole % 60, " s");
  if (whole < 86'400) return two(whole / 3600, " h", whole % 3600 / 60, " min");
  return two(whole / 86'400, whole < 2 * 86'400 ? " day" : " days", whole % 86'400 / 3600, " h");
}

SweepProgress::SweepProgress(const char* things, std::size_t total, std::size_t known, double costs, int workers,
                             Log log)
    : things_(things), total_(total), done_(known), costs_left_(costs), workers_(workers), log_(log) {}

void SweepProgress::begun(std::size_t task, double cost) {
  running_[task] = {Clock::now(), cost};
  costs_left_ -= cost;
}

void SweepProgress::ended(std::size_t task) {
  const Running& one = running_.at(task);
  costs_ended_ += one.cost;
  seconds_ended_ += std::chrono::duration<double>(Clock::now() - one.since).count();
  running_.erase(task);
  ++done_;
}

void SweepProgress::skipped(double cost) {
  costs_left_ -= cost;
  ++done_;
}

std::optional<double> SweepProgress::seconds_left() const {
  if (costs_ended_ <= 0) return std::nullopt;
  const double pace = seconds_ended_ / costs_ended_;
  double of_running_s = 0, longest_s = 0;
  for (const auto& [task, one] : running_) {
    const double gone_s = std::chrono::duration<double>(Clock::now() - one.since).count();
    const double left_s = std::max(0.0, one.cost * pace - gone_s);
    of_running_s += left_s;
    longest_s = std::max(longest_s, left_s);
  }
  return std::max(longest_s, (std::max(0.0, costs_left_) * pace + of_running_s) / workers_);
}

void SweepProgress::show(const std::string& last, const std::string& best) {
  if (!line_.on_terminal() && log_ == Log::none) return;
  std::string text = std::to_string(done_) + " of " + std::to_string(total_) + " " + things_;
  if (line_.on_terminal()) text = bar(done_, total_) + text;
  if (const auto left = seconds_left(); left && done_ < total_) text += ", about " + duration_text(*left) + " left";
  if (!line_.on_terminal() && !last.empty()) text += ", last " + last;
  if (!best.empty()) text += ", best so far " + best;
  if (line_.on_terminal())
    line_.show(text);
  else
    std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace simtrain
