#include "calibrate/plain_samples.hpp"

#include <charconv>

#include "calibrate/fit.hpp"
#include "calibrate/samples_json.hpp"

namespace simtrain {

namespace {

// Every function reads on from where the last one stopped and returns false for what it does not know.
class SampleReader {
 public:
  SampleReader(Kernel kernel, std::string_view text)
      : kernel_(kernel), at_(text.data()), end_(text.data() + text.size()) {}

  bool list(std::vector<Sample>& samples) {
    if (!pass("[")) return false;
    do {
      skip_line_ends();
      if (!sample(samples.emplace_back())) return false;
    } while (pass(","));
    skip_line_ends();
    return pass("]") && at_ == end_;
  }

 private:
  bool pass(std::string_view expected) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  void skip_line_ends() {
    while (at_ != end_ && *at_ == '\n') ++at_;
  }

  bool sample(Sample& sample) {
    sample.call = {kernel_, 1};
    if (!pass("{\"m\":") || !size(sample.call.m)) return false;
    if (has_three_sizes(kernel_)) {
      if (!pass(",\"n\":") || !size(sample.call.n) || !pass(",\"k\":") || !size(sample.call.k)) return false;
      if (is_im2col(kernel_) && (!pass(",\"window\":") || !size(sample.call.window))) return false;
    }
    constexpr std::size_t kUsual = 9;  // as many quantiles are kept (docs/decisions/0010-kernel-prices.md)
    sample.seconds.reserve(kUsual);
    if (!pass(",\"seconds\":[")) return false;
    do
      if (!seconds(sample.seconds.emplace_back())) return false;
    while (pass(","));
    if (!pass("]")) return false;
    sample.kept_aside = pass(",\"kept_aside\":true");
    return pass("}");
  }

  bool size(std::int64_t& value) { return number(value) && value >= 1; }
  bool seconds(double& value) { return number(value) && value > 0 && value <= kLongest_s; }

  // What std::from_chars takes beyond the grammar of JSON (0x, inf, 007, "1."), Profile::to_json() does not write; the
  // text is known to be JSON.
  template <typename Number>
  bool number(Number& value) {
    const auto [after, error] = std::from_chars(at_, end_, value);
    at_ = after;
    return error == std::errc{};
  }

  Kernel kernel_;
  const char* at_;
  const char* end_;
};

}  // namespace

std::optional<std::vector<Sample>> read_plain_samples(Kernel kernel, std::string_view list) {
  std::vector<Sample> samples;
  if (SampleReader(kernel, list).list(samples)) return samples;
  return std::nullopt;
}

}  // namespace simtrain
