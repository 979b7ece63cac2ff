#include "sim/placement/slow_parts.hpp"

#include <array>
#include <cstdio>
#include <numeric>

#include "base/error.hpp"
#include "base/name_pattern.hpp"
#include "base/options.hpp"
#include "base/random.hpp"
#include "base/units.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

std::string shown(double factor) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", factor);
  return text.data();
}

struct Assignment {
  std::string left;
  double factor = 1;
};

// "LEFT=0.5"; LEFT may hold "=".
Assignment parse_assignment(const std::string& option, const std::string& text, const char* expected) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(option + ": '" + text + "' is not valid; expected " + expected);
  const double factor = parse_positive(option + ": factor of '" + text + "'", text.substr(equals + 1));
  if (factor > 1 || factor < 1e-6)
    throw InputError(option + ": '" + text + "' is not valid; expected a factor from 0.000001 to 1");
  return {text.substr(0, equals), factor};
}

std::vector<NamedParts> parse_named(const po::variables_map& values, const std::string& option, const char* expected) {
  std::vector<NamedParts> parts;
  if (!given(values, option)) return parts;
  for (const std::string& text : values[option].as<std::vector<std::string>>()) {
    const Assignment one = parse_assignment("--" + option, text, expected);
    parts.push_back({one.left, one.factor});
  }
  return parts;
}

std::optional<DrawnParts> parse_drawn(const po::variables_map& values, const std::string& option) {
  if (!given(values, option)) return std::nullopt;
  const Assignment one = parse_assignment("--" + option, text_of(values, option), "N=FACTOR, such as 3=0.5");
  return DrawnParts{static_cast<int>(parse_integer("--" + option + ": number of parts", one.left, 1, 1 << 24)),
                    one.factor};
}

void slow_down(std::map<int, double>& parts, int number, double factor) {
  parts.try_emplace(number, 1.0).first->second *= factor;
}

struct Kind {  // hosts or links
  const char *option, *drawing_option, *what;
  int count;
  const std::function<std::string(int)>& name;
  std::uint64_t stream;
};

void add_named(const std::vector<NamedParts>& named, const Kind& kind, const std::string& platform,
               std::map<int, double>& parts) {
  if (named.empty()) return;
  std::vector<std::string> names;
  for (int i = 0; i < kind.count; ++i) names.push_back(kind.name(i));
  for (const NamedParts& one : named) {
    bool any = false;
    for (int i = 0; i < kind.count; ++i) {
      if (!matches(one.pattern, names[static_cast<std::size_t>(i)])) continue;
      slow_down(parts, i, one.factor);
      any = true;
    }
    if (!any)
      throw InputError(std::string(kind.option) + ": no " + kind.what + " of platform '" + platform + "' matches '" +
                       one.pattern + "'" + did_you_mean(one.pattern, names));
  }
}

// The first `count` of a permutation.
void add_drawn(const std::optional<DrawnParts>& drawn, std::uint64_t seed, const Kind& kind,
               const std::string& platform, std::map<int, double>& parts) {
  if (!drawn) return;
  if (drawn->count > kind.count)
    throw InputError(std::string(kind.drawing_option) + ": " + std::to_string(drawn->count) + " are more than the " +
                     std::to_string(kind.count) + " " + kind.what + "s of platform '" + platform + "'");
  std::vector<int> numbers(static_cast<std::size_t>(kind.count));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::size_t i = 0; std::cmp_less(i, drawn->count); ++i) {
    std::swap(numbers[i], numbers[i + random_bits(seed, kind.stream, i) % (numbers.size() - i)]);
    slow_down(parts, numbers[i], drawn->factor);
  }
}

void append(std::string& text, const std::string& item) { text += (text.empty() ? "" : ", ") + item; }

}  // namespace

std::string SlowPartsOptions::description() const {
  std::string text;
  for (const NamedParts& one : hosts) append(text, one.pattern + "=" + shown(one.factor));
  if (drawn_hosts) append(text, std::to_string(drawn_hosts->count) + " drawn hosts=" + shown(drawn_hosts->factor));
  for (const NamedParts& one : links) append(text, "link " + one.pattern + "=" + shown(one.factor));
  if (drawn_links) append(text, std::to_string(drawn_links->count) + " drawn links=" + shown(drawn_links->factor));
  if (drawn_hosts || drawn_links) text += " (seed " + std::to_string(seed) + ")";
  return text;
}

po::options_description slow_parts_options() {
  po::options_description options("Slow parts of it");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto words = [](const char* name) {
    return po::value<std::vector<std::string>>()->composing()->value_name(name);
  };
  options.add_options()("slow-host", words("NAME=FACTOR"),
                        "host-3=0.5: computes at half speed; NAME may hold *; may be given several times")(
      "slow-hosts", word("N=FACTOR"), "N hosts of the platform, drawn by --slow-seed")(
      "degrade-link", words("NAME=FACTOR"),
      "bandwidth of links, named as in the report: 'x+ of (3,0,*)=0.1'; may be given several times")(
      "degrade-links", word("N=FACTOR"), "N links of the platform, drawn by --slow-seed")(
      "slow-seed", word("N")->default_value("1"), "of what is drawn");
  return options;
}

SlowPartsOptions slow_parts_from(const po::variables_map& values) {
  SlowPartsOptions options;
  options.hosts = parse_named(values, "slow-host", "NAME=FACTOR, such as host-3=0.5");
  options.links = parse_named(values, "degrade-link", "NAME=FACTOR, such as 'x+ of (3,0,*)=0.1'");
  options.drawn_hosts = parse_drawn(values, "slow-hosts");
  options.drawn_links = parse_drawn(values, "degrade-links");
  options.seed = static_cast<std::uint64_t>(parse_integer("--slow-seed", text_of(values, "slow-seed"), 0, INT64_MAX));
  if (!options.drawn_hosts && !options.drawn_links && !values["slow-seed"].defaulted())
    throw InputError(
        "--slow-seed: given without --slow-hosts or --degrade-links; expected one of them, since nothing " +
        std::string("else is drawn"));
  return options;
}

SlowParts find_slow_parts(const SlowPartsOptions& options, const NamesOfParts& names) {
  const Kind hosts{"--slow-host", "--slow-hosts", "host", names.hosts, names.host, 0x686f737473};
  const Kind links{"--degrade-link", "--degrade-links", "link", names.links, names.link, 0x6c696e6b73};
  SlowParts parts;
  add_named(options.hosts, hosts, names.platform, parts.hosts);
  add_drawn(options.drawn_hosts, options.seed, hosts, names.platform, parts.hosts);
  add_named(options.links, links, names.platform, parts.links);
  add_drawn(options.drawn_links, options.seed, links, names.platform, parts.links);
  return parts;
}

}  // namespace simtrain
