#include "report/machine_json.hpp"

#include <array>
#include <limits>

#include "report/json_value.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

constexpr double kLargest = std::numeric_limits<double>::max();

struct Bound {
  const char* key;
  double BoundsResult::*part;
};
constexpr std::array<Bound, 7> kBounds{{{"computing_s", &BoundsResult::computing_s},
                                        {"slower_s", &BoundsResult::slower_s},
                                        {"adding_s", &BoundsResult::adding_s},
                                        {"waiting_s", &BoundsResult::waiting_s},
                                        {"bandwidth_s", &BoundsResult::bandwidth_s},
                                        {"latency_s", &BoundsResult::latency_s},
                                        {"contention_s", &BoundsResult::contention_s}}};

ordered_json write(const std::vector<SlowPart>& parts) {
  ordered_json list = ordered_json::array();
  for (const SlowPart& one : parts) list.push_back({{"name", one.name}, {"factor", finite("factor", one.factor)}});
  return list;
}

std::vector<SlowPart> read_parts(JsonObject& from, std::string_view key) {
  std::vector<SlowPart> parts;
  for (std::size_t i = 0; i < from.array(key).size(); ++i) {
    JsonObject one = from.element(key, i);
    parts.push_back({one.text("name"), one.number("factor", 0, 1)});
    one.finish();
  }
  return parts;
}

}  // namespace

void write_outcome(ordered_json& value, const std::optional<double>& seconds, const std::string& error) {
  value["iteration_s"] = seconds ? finite("iteration_s", *seconds) : ordered_json(nullptr);
  if (!seconds) value["error"] = error;
}

void read_outcome(JsonObject& from, std::optional<double>& seconds, std::string& error) {
  if (!from.any("iteration_s").is_null())
    seconds = from.number("iteration_s", 0, kLargest);
  else
    error = from.text("error");
}

ordered_json to_json_value(const LinksResult& links) {
  ordered_json value = {{"count", links.count()},
                        {"used", links.used},
                        {"classes", ordered_json::array()},
                        {"busiest", ordered_json::array()}};
  for (const LinkClassResult& one : links.classes)
    value["classes"].push_back({{"name", one.name},
                                {"count", one.count},
                                {"bytes", finite("bytes", one.bytes)},
                                {"mean_utilisation", finite("mean_utilisation", one.mean_utilisation)},
                                {"max_utilisation", finite("max_utilisation", one.max_utilisation)}});
  for (const LinkResult& one : links.busiest)
    value["busiest"].push_back({{"name", one.name},
                                {"bytes", finite("bytes", one.bytes)},
                                {"utilisation", finite("utilisation", one.utilisation)}});
  return value;
}

LinksResult read_links(JsonObject from) {
  LinksResult links;
  links.used = from.integer("used", 0);
  for (std::size_t i = 0; i < from.array("classes").size(); ++i) {
    JsonObject one = from.element("classes", i);
    links.classes.push_back({one.text("name"), one.integer("count", 1), one.number("bytes", 0, kLargest),
                             one.number("mean_utilisation", 0, kLargest), one.number("max_utilisation", 0, kLargest)});
    one.finish();
  }
  for (std::size_t i = 0; i < from.array("busiest").size(); ++i) {
    JsonObject one = from.element("busiest", i);
    links.busiest.push_back(
        {one.text("name"), one.number("bytes", 0, kLargest), one.number("utilisation", 0, kLargest)});
    one.finish();
  }
  if (const std::int64_t count = from.integer("count", 0); count != links.count())
    from.refuse("count", "is " + std::to_string(count) + ", but its classes have " + std::to_string(links.count()));
  from.finish();
  return links;
}

ordered_json to_json_value(const std::vector<PlacementTrial>& trials) {
  ordered_json list = ordered_json::array();
  for (const PlacementTrial& one : trials) {
    list.push_back({{"placement", one.placement}});
    write_outcome(list.back(), one.iteration_s, one.error);
  }
  return list;
}

std::vector<PlacementTrial> read_placement_trials(JsonObject& root) {
  constexpr std::string_view key = "placement_trials";
  std::vector<PlacementTrial> trials;
  for (std::size_t i = 0; i < root.array(key).size(); ++i) {
    JsonObject one = root.element(key, i);
    trials.push_back({one.text("placement"), {}, {}});
    read_outcome(one, trials.back().iteration_s, trials.back().error);
    one.finish();
  }
  return trials;
}

ordered_json to_json_value(const SlowPartsResult& parts) {
  ordered_json value = {{"description", parts.description},
                        {"slow_hosts", parts.slow_hosts},
                        {"slow_hosts_used", parts.slow_hosts_used},
                        {"degraded_links", parts.degraded_links},
                        {"healthy_slots", parts.healthy_slots},
                        {"hosts", write(parts.hosts)},
                        {"links", write(parts.links)}};
  value["healed_s"] = parts.healed_s ? finite("healed_s", *parts.healed_s) : ordered_json(nullptr);
  value["without"] = ordered_json::array();
  for (const GridAlternative& one : parts.without) {
    value["without"].push_back({{"grid_rows", one.grid_rows}, {"grid_columns", one.grid_columns}});
    write_outcome(value["without"].back(), one.iteration_s, one.error);
  }
  return value;
}

SlowPartsResult read_slow_parts(JsonObject from) {
  SlowPartsResult parts;
  parts.description = from.text("description");
  parts.slow_hosts = from.integer("slow_hosts", 0);
  parts.slow_hosts_used = from.integer("slow_hosts_used", 0);
  parts.degraded_links = from.integer("degraded_links", 0);
  parts.healthy_slots = from.integer("healthy_slots", 0);
  parts.hosts = read_parts(from, "hosts");
  parts.links = read_parts(from, "links");
  if (!from.any("healed_s").is_null()) parts.healed_s = from.number("healed_s", 0, kLargest);
  for (std::size_t i = 0; i < from.array("without").size(); ++i) {
    JsonObject one = from.element("without", i);
    constexpr int most = std::numeric_limits<int>::max();
    parts.without.push_back({static_cast<int>(one.integer("grid_rows", 1, most)),
                             static_cast<int>(one.integer("grid_columns", 1, most)),
                             {},
                             {}});
    read_outcome(one, parts.without.back().iteration_s, parts.without.back().error);
    one.finish();
  }
  from.finish();
  return parts;
}

ordered_json to_json_value(const BoundsResult& bounds) {
  ordered_json value;
  for (const auto& [key, part] : kBounds) value[key] = finite(key, bounds.*part);
  return value;
}

BoundsResult read_bounds(JsonObject from) {
  BoundsResult bounds;
  for (const auto& [key, part] : kBounds) bounds.*part = from.number(key, -kLargest, kLargest);
  from.finish();
  return bounds;
}

}  // namespace simtrain
