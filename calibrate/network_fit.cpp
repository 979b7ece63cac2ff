#include "calibrate/network_fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/least_squares.hpp"

namespace simtrain {
namespace {

constexpr double kMostBandwidth_Bps = 1e15;  // stands for "the size makes no difference"

struct Point {
  std::int64_t bytes;
  double seconds;
  double weight;  // of its squared error
};

// The better a time is known, the more it counts: short messages vary by tens of percent, and would hide a jump of a
// tenth among long ones, which vary by one.
double weight_of(const MessageSample& sample) {
  constexpr double kNobodyKnowsBetter = 0.01;
  const auto count = static_cast<double>(sample.seconds.size());
  const double mean = std::accumulate(sample.seconds.begin(), sample.seconds.end(), 0.0) / count;
  double variance = 0;
  for (const double seconds : sample.seconds) variance += (seconds / mean - 1) * (seconds / mean - 1) / count;
  return 1 / (kNobodyKnowsBetter * kNobodyKnowsBetter + variance / count);
}

struct Line {
  double latency_s = 0, seconds_per_byte = 0;
  double squared_error = std::numeric_limits<double>::infinity();  // the weighted sum over its points
  [[nodiscard]] double seconds(std::int64_t bytes) const {
    return latency_s + static_cast<double>(bytes) * seconds_per_byte;
  }
};

// |predicted/measured - 1| counts as a half at most: the machine may have been disturbed at a size.
double squared_error(double predicted_s, double measured_s) {
  constexpr double kMost = 0.5;
  const double error = std::min(kMost, std::abs(predicted_s / measured_s - 1));
  return error * error;
}

using Points = std::vector<Point>;

// With x = n - offset and both coefficients >= 0: seconds = a + b x, hence a latency of a - b offset, which is negative
// where time grows faster than the size, but never so much that the line falls to 0 above `offset`.
Line through(const Points& points, double offset) {
  std::vector<std::vector<double>> rows;
  std::vector<double> weights;
  for (const Point& point : points) {
    rows.push_back({1 / point.seconds, (static_cast<double>(point.bytes) - offset) / point.seconds});
    weights.push_back(point.weight);
  }
  const std::vector<double> x = relative_least_squares(rows, weights);
  const double seconds_per_byte = std::max(x[1], 1 / kMostBandwidth_Bps);
  return {x[0] - offset * seconds_per_byte, seconds_per_byte, 0};
}

// Trimmed least squares: through all points, then without the fifth of them that lies worst.
Line fit_line(const Points& points, std::size_t begin, std::size_t end) {
  constexpr double kSteepest = 0.8;
  const double offset = begin == 0 ? 0 : kSteepest * static_cast<double>(points[begin - 1].bytes);
  const Points all(points.begin() + static_cast<std::ptrdiff_t>(begin),
                   points.begin() + static_cast<std::ptrdiff_t>(end));
  Line line = through(all, offset);
  const auto error_of = [&](const Point& point) { return squared_error(line.seconds(point.bytes), point.seconds); };
  if (const std::size_t trimmed = all.size() / 5; trimmed > 0) {
    Points kept = all;
    std::stable_sort(kept.begin(), kept.end(), [&](auto& a, auto& b) { return error_of(a) < error_of(b); });
    kept.resize(kept.size() - trimmed);
    line = through(kept, offset);
  }
  line.squared_error = 0;
  for (const Point& point : all) line.squared_error += point.weight * error_of(point);
  return line;
}

// A line for every range of points that may be a segment, of enough sizes.
class Lines {
 public:
  explicit Lines(const std::vector<Point>& points) : count_(points.size()), lines_(count_ * (count_ + 1)) {
    const std::size_t least = std::min(kLeastSizesPerSegment, count_);
    for (std::size_t begin = 0; begin < count_; ++begin)
      for (std::size_t end = begin + least; end <= count_; ++end)
        lines_[begin * (count_ + 1) + end] = fit_line(points, begin, end);
  }
  // With an infinite error if the range may be none.
  [[nodiscard]] const Line& of(std::size_t begin, std::size_t end) const { return lines_[begin * (count_ + 1) + end]; }

 private:
  std::size_t count_;
  std::vector<Line> lines_;
};

// The first point of each segment after the first one, for 1, 2, ... segments as far as the points suffice.
std::vector<std::vector<std::size_t>> best_cuts(const Lines& lines, std::size_t count) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  // error[k][end]: of the first `end` points in k + 1 segments; cut[k][end]: where the last of them begins.
  std::vector<std::vector<double>> error(kMostSegments, std::vector<double>(count + 1, kNone));
  std::vector<std::vector<std::size_t>> cut(kMostSegments, std::vector<std::size_t>(count + 1, 0));
  for (std::size_t end = 1; end <= count; ++end) error[0][end] = lines.of(0, end).squared_error;
  for (std::size_t k = 1; k < kMostSegments; ++k)
    for (std::size_t end = 2; end <= count; ++end)
      for (std::size_t begin = 1; begin < end; ++begin)
        if (const double sum = error[k - 1][begin] + lines.of(begin, end).squared_error; sum < error[k][end]) {
          error[k][end] = sum;
          cut[k][end] = begin;
        }
  std::vector<std::vector<std::size_t>> cuts;
  for (std::size_t segments = 0; segments < kMostSegments && error[segments][count] < kNone; ++segments) {
    cuts.emplace_back();
    for (std::size_t k = segments, end = count; k > 0; --k) {
      end = cut[k][end];
      cuts.back().insert(cuts.back().begin(), end);
    }
  }
  return cuts;
}

std::vector<CurveSegment> segments_of(const std::vector<Point>& points, const Lines& lines,
                                      const std::vector<std::size_t>& cuts) {
  std::vector<CurveSegment> segments;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : cuts[i - 1], end = i == cuts.size() ? points.size() : cuts[i];
    const Line& line = lines.of(begin, end);
    segments.push_back({i == 0 ? points.front().bytes : segments.back().to + 1,
                        i == cuts.size() ? points.back().bytes : switch_point(points[end - 1].bytes, points[end].bytes),
                        line.latency_s, 1 / line.seconds_per_byte});
  }
  return segments;
}

std::vector<double> errors_aside(const TimingCurve& curve) {
  std::vector<double> errors;
  for (const MessageSample& sample : curve.samples)
    if (sample.kept_aside) errors.push_back(std::abs(curve.seconds(sample.bytes) / sample.measured_s() - 1));
  return errors;
}

// The fits in 1, 2, ... segments as far as the points suffice.
std::vector<std::vector<CurveSegment>> fits_of(const Points& points) {
  const Lines lines(points);
  std::vector<std::vector<CurveSegment>> fits;
  for (const std::vector<std::size_t>& cuts : best_cuts(lines, points.size()))
    fits.push_back(segments_of(points, lines, cuts));
  return fits;
}

// Cross-validation: every point but the ends is predicted by fits that did not see it, of each number of segments.
// Which side of a jump it is on they cannot know: a point between two segments is predicted by the better one.
std::size_t number_of_segments(const Points& points) {
  constexpr std::size_t kFolds = 5;
  std::vector<double> sums(kMostSegments, 0.0);
  std::size_t most = kMostSegments;
  TimingCurve curve;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    const auto left_out = [&](std::size_t i) { return i > 0 && i + 1 < points.size() && i % kFolds == fold; };
    Points seen;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!left_out(i)) seen.push_back(points[i]);
    const auto fits = fits_of(seen);
    most = std::min(most, fits.size());
    for (std::size_t k = 0; k < most; ++k) {
      curve.segments = fits[k];
      const auto error = [&](const Point& point, const Point& neighbour) {
        return point.weight * squared_error(curve.segment(neighbour.bytes).seconds(point.bytes), point.seconds);
      };
      for (std::size_t i = 0; i < points.size(); ++i)
        if (left_out(i)) sums[k] += std::min(error(points[i], points[i - 1]), error(points[i], points[i + 1]));
    }
  }
  double weights = 0;
  for (const Point& point : points) weights += point.weight;
  const auto error = [&](double sum) { return std::sqrt(sum / weights); };
  constexpr double kGoodEnough = 1.05, kNothing = 1e-3;
  const auto end = sums.begin() + static_cast<std::ptrdiff_t>(most);
  const double enough = kGoodEnough * error(*std::min_element(sums.begin(), end)) + kNothing;
  return static_cast<std::size_t>(std::find_if(sums.begin(), end, [&](double sum) { return error(sum) <= enough; }) -
                                  sums.begin()) +
         1;
}

}  // namespace

void keep_aside(std::vector<MessageSample>& samples, std::uint64_t seed) {
  std::vector<MessageSample*> lots;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].kept_aside = false;
    const bool power = std::has_single_bit(static_cast<std::uint64_t>(samples[i].bytes));
    if (i > 0 && i + 1 < samples.size() && !power) lots.push_back(&samples[i]);
  }
  const auto lot = [seed](const MessageSample* sample) {
    return random_bits(seed, 1, static_cast<std::uint64_t>(sample->bytes));
  };
  std::sort(lots.begin(), lots.end(), [&](auto a, auto b) { return lot(a) < lot(b); });
  for (std::size_t i = 0; i < std::min(lots.size(), samples.size() / 5); ++i) lots[i]->kept_aside = true;
}

std::int64_t switch_point(std::int64_t before, std::int64_t after) {
  SIMTRAIN_INVARIANT(before < after, std::to_string(before) + " and " + std::to_string(after));
  if (after <= 1) return before;
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(after - 1)));
  if (power >= before) return power;
  const double mean = std::sqrt(static_cast<double>(before) * static_cast<double>(after));
  return std::clamp(static_cast<std::int64_t>(mean), before, after - 1);
}

TimingCurve fit_curve(std::vector<MessageSample> samples) {
  Points points;
  for (const MessageSample& sample : samples)
    if (!sample.kept_aside) points.push_back({sample.bytes, sample.measured_s(), weight_of(sample)});
  SIMTRAIN_INVARIANT(!points.empty(), "no samples to fit");
  std::vector<CurveSegment> nothing;  // a message of 0 bytes is never copied: a segment of its own
  if (points.size() > 1 && points.front().bytes == 0) {
    nothing.push_back({0, 0, points.front().seconds, kMostBandwidth_Bps});
    points.erase(points.begin());
  }
  TimingCurve curve{std::move(samples), std::move(nothing), {}};
  const bool has_nothing = !curve.segments.empty();
  const auto fits = fits_of(points);
  for (const CurveSegment& segment : fits[number_of_segments(points) - 1]) curve.segments.push_back(segment);
  if (has_nothing) curve.segments[1].from = 1;
  curve.error = summarise_errors(errors_aside(curve));
  return curve;
}

}  // namespace simtrain
