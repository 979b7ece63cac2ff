#include "sim/platform/xml.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <simgrid/Exception.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/units.hpp"
#include "sim/engine/child.hpp"
#include "sim/engine/engine.hpp"
#include "sim/platform/xml_cluster.hpp"
#include "sim/platform/xml_syntax.hpp"

namespace simtrain {

namespace {

namespace s4u = simgrid::s4u;

constexpr std::size_t kAllPairsUpTo = 128;

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// SimGrid says "Parse error at FILE:LINE: Invalid XML (XML input line LINE, state N): reason".
[[noreturn]] void refuse_parse_error(const std::string& file, std::string_view text) {
  const std::size_t at = text.find(file + ":");
  if (at != std::string_view::npos) text.remove_prefix(at + file.size() + 1);
  const std::size_t colon = text.find(": ");
  const std::string line(text.substr(0, colon));
  if (colon != std::string_view::npos) text.remove_prefix(colon + 2);
  if (const std::size_t state = text.find("): "); text.starts_with("Invalid XML (") && state != std::string_view::npos)
    text.remove_prefix(state + 3);
  throw InputError("platform '" + file + "', line " + line + ": " + first_line(text));
}

std::string description_of(const s4u::NetZone* zone) {
  if (const char* text = zone->get_property("description"); text != nullptr) return text;
  for (const s4u::NetZone* child : zone->get_children())
    if (std::string text = description_of(child); !text.empty()) return text;
  return {};
}

std::string description_of(const s4u::Engine& engine, const std::vector<s4u::Host*>& hosts) {
  if (std::string text = description_of(engine.get_netzone_root()); !text.empty()) return text;
  // SimGrid gives the properties of a torus or fat-tree cluster to its hosts.
  if (const char* text = hosts.front()->get_property("description"); text != nullptr) return text;
  return std::to_string(hosts.size()) + " hosts";
}

std::optional<double> smallest_memory(const std::string& file, const std::vector<s4u::Host*>& hosts) {
  std::optional<double> smallest;
  for (const s4u::Host* host : hosts) {
    const char* text = host->get_property("memory");
    if (text == nullptr) continue;
    const std::string what = "platform '" + file + "', host '" + host->get_name() + "', property 'memory'";
    const auto bytes = static_cast<double>(parse_bytes(what, text));
    smallest = smallest ? std::min(*smallest, bytes) : bytes;
  }
  return smallest;
}

void check_route(const std::string& file, const s4u::Host* from, const s4u::Host* to) {
  std::vector<s4u::Link*> links;
  double latency_s = 0;
  from->route_to(to, links, &latency_s);
  if (links.empty())
    throw InputError("platform '" + file + "': no route leads from host '" + from->get_name() + "' to host '" +
                     to->get_name() + "'; expected every host to reach every other one");
}

void check_routes(const std::string& file, const std::vector<s4u::Host*>& hosts) {
  if (hosts.size() <= kAllPairsUpTo) {
    for (const s4u::Host* from : hosts)
      for (const s4u::Host* to : hosts)
        if (from != to) check_route(file, from, to);
    return;
  }
  for (std::size_t i = 1; i < hosts.size(); ++i) {
    check_route(file, hosts[i - 1], hosts[i]);
    check_route(file, hosts[i], hosts[0]);
    check_route(file, hosts[0], hosts[i]);
  }
}

// SimGrid lists loopbacks too, and orders names as text. What goes from a host to itself goes over one; a link that is
// no loopback may be on that way too, but then it is shared.
std::vector<s4u::Link*> network_links(const s4u::Engine& engine, const std::vector<s4u::Host*>& hosts) {
  std::unordered_set<const s4u::Link*> loopbacks{s4u::Link::by_name_or_null("__loopback__")};  // of hosts without one
  for (const s4u::Host* host : hosts) {
    std::vector<s4u::Link*> links;
    host->route_to(host, links, nullptr);
    for (const s4u::Link* link : links)
      if (link->get_sharing_policy() == s4u::Link::SharingPolicy::FATPIPE) loopbacks.insert(link);
  }
  std::vector<s4u::Link*> links = engine.get_all_links();
  std::erase_if(links, [&](const s4u::Link* link) { return loopbacks.contains(link); });
  std::sort(links.begin(), links.end(),
            [](const s4u::Link* a, const s4u::Link* b) { return natural_less(a->get_name(), b->get_name()); });
  return links;
}

// SimGrid reads numbers that it cannot work with, and aborts in the middle of a simulation.
void check_numbers(const std::string& file) {
  const auto refuse = [&](const std::string& what, const std::string& key, double value, const std::string& expected) {
    throw InputError("platform '" + file + "', " + what + ": " + key + " is " + std::to_string(value) + "; expected " +
                     expected);
  };
  for (const s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    const double bandwidth = link->get_bandwidth(), latency = link->get_latency();
    const bool wifi = link->get_sharing_policy() == s4u::Link::SharingPolicy::WIFI;
    if (!wifi && !(bandwidth > 0 && std::isfinite(bandwidth)))
      refuse("link '" + link->get_name() + "'", "bandwidth", bandwidth, "a number above 0");
    if (!(latency >= 0 && std::isfinite(latency)))
      refuse("link '" + link->get_name() + "'", "latency", latency, "a number of at least 0");
  }
  for (const s4u::Host* host : s4u::Engine::get_instance()->get_all_hosts())
    if (const double speed = host->get_speed(); !(speed > 0 && std::isfinite(speed)))
      refuse("host '" + host->get_name() + "'", "speed", speed, "a number above 0");
}

// In the child: everything that can go wrong goes wrong here. The summary, the text of an InputError, or what SimGrid
// says; a character tells which.
constexpr char kGood = '+', kWrong = '-', kRefused = '!';

std::string inspect(const std::string& file) {
  try {
    std::unique_ptr<s4u::Engine> engine = s4u::Engine::has_instance() ? nullptr : start_engine();
    const LoadedPlatform platform = load_platform_xml(*s4u::Engine::get_instance(), file, file);
    check_numbers(file);
    check_routes(file, platform.hosts);
    std::string answer = kGood + std::to_string(platform.hosts.size()) + ' ' + platform.description;
    static_cast<void>(engine.release());  // the child ends without destructors
    return answer;
  } catch (const InputError& error) {
    return kWrong + std::string(error.what());
  } catch (const std::exception& error) {
    // The standard library's word for a number that is none.
    const std::string reason = first_line(error.what());
    return kRefused + (reason == "stoi" ? "a number is not valid; expected whole numbers in topo_parameters" : reason);
  }
}

// What SimGrid printed before it gave up: "[…] ./src/file.cpp:147: [root/CRITICAL] reason".
std::string last_words(const ChildOutcome& outcome) {
  constexpr std::string_view mark = "CRITICAL] ";
  if (const std::size_t at = outcome.errors.find(mark); at != std::string::npos)
    return first_line(std::string_view(outcome.errors).substr(at + mark.size()));
  return "it crashed (signal " + std::to_string(outcome.signal) + ")";
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto number = [&](std::string_view& text) {  // takes a run of digits, without leading zeros
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view run = text.substr(0, end);
    run.remove_prefix(std::min(run.find_first_not_of('0'), run.size()));
    text.remove_prefix(end);
    return run;
  };
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = number(a), y = number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // only leading zeros differ
}

LoadedPlatform load_platform_xml(s4u::Engine& engine, const std::string& name, const std::filesystem::path& path) {
  const std::string file = path.string();
  try {
    engine.load_platform(file);
  } catch (const simgrid::ParseError& error) {
    refuse_parse_error(file, error.what());
  }
  LoadedPlatform platform{name, {}, engine.get_all_hosts(), {}, nullptr, std::nullopt};
  if (platform.hosts.empty()) throw InputError("platform '" + file + "': has no host; expected at least one");
  engine.seal_platform();
  std::sort(platform.hosts.begin(), platform.hosts.end(),
            [](const s4u::Host* a, const s4u::Host* b) { return natural_less(a->get_name(), b->get_name()); });
  platform.links = network_links(engine, platform.hosts);
  platform.description = description_of(engine, platform.hosts);
  platform.host_memory_bytes = smallest_memory(file, platform.hosts);
  return platform;
}

PlatformSummary check_platform_xml(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string text = read_file("platform", path);
  check_xml_syntax(file, text);
  const ChildOutcome outcome = run_in_child([&] { return inspect(file); });
  const bool broke_off = !outcome.finished || outcome.answer.empty();
  if (broke_off || outcome.answer.front() == kRefused) {
    const std::string why = broke_off ? last_words(outcome) : outcome.answer.substr(1);
    if (const auto routing = find_unknown_routing(text); routing && why.starts_with("Not a valid model"))
      throw InputError("platform '" + file + "', line " + std::to_string(routing->line) + ": routing '" +
                       routing->name + "' is not known; expected Full, Floyd, Dijkstra, DijkstraCache, Cluster, " +
                       "Vivaldi or None");
    auto line = line_of_only_cluster(text);
    if (const auto quoted = line_quoted_in(why, text)) line = quoted;
    throw InputError("platform '" + file + "'" + (line ? ", line " + std::to_string(*line) : "") +
                     ": SimGrid refuses it: " + why);
  }
  const std::string_view answer = std::string_view(outcome.answer).substr(1);
  if (outcome.answer.front() == kWrong) throw InputError(std::string(answer));
  PlatformSummary summary;
  const char* end = std::from_chars(answer.data(), answer.data() + answer.size(), summary.hosts).ptr;
  summary.description = answer.substr(static_cast<std::size_t>(end - answer.data()) + 1);
  return summary;
}

}  // namespace simtrain
