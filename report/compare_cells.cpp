#include "report/compare_cells.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace simtrain {

std::string signed_percent(const std::optional<double>& fraction) {
  if (!fraction) return "-";
  constexpr double kReadable = 100;
  if (std::fabs(*fraction) >= kReadable) return *fraction > 0 ? ">+9999 %" : "<-9999 %";
  constexpr double kVisible = 0.0005;
  if (std::fabs(*fraction) < kVisible) return *fraction == 0 ? "0.0 %" : "<0.1 %";
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%+.1f %%", 100 * *fraction);
  return buffer.data();
}

std::string signed_time(const TimeScale& time, double seconds) {
  const std::string text = time(std::fabs(seconds));
  if (text.front() == '<' || text == "-") return text;
  return (seconds < 0 ? "-" : "+") + text;
}

std::vector<std::string> contrast_cells(const Contrast& seconds, const TimeScale& time) {
  return {time(seconds.reference_s), time(seconds.other_s), signed_time(time, seconds.difference_s()),
          signed_percent(seconds.relative_error())};
}

std::string share_cell(const Comparison& comparison, const Contrast& part) {
  std::string text = signed_percent(comparison.share(part));
  if (text.front() == '+') text.erase(0, 1);
  return text;
}

std::string relative_heading(const Comparison& comparison) {
  return comparison.reference.result.kind == comparison.other.result.kind ? "relative" : "relative\nerror";
}

}  // namespace simtrain
