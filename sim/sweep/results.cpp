#include "sim/sweep/results.hpp"

#include <algorithm>
#include <functional>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/units.hpp"
#include "report/json.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

constexpr const char* kWhat = "results file";
constexpr const char* kFormat = "simtrain-sweep-results";
constexpr int kMostReplicas = 100'000;
constexpr const char* kNone = "";  // of an option or a file that only one sweep has

InputError refusal(const std::string& path, const std::string& why) {
  return InputError(std::string(kWhat) + " '" + path + "' " + why);
}

// Bytes that are not UTF-8 (of a file's name) become U+FFFD.
std::string line_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json values_of(const SweepInputs& inputs) {
  ordered_json value = {{"options", inputs.options}, {"files", inputs.files}, {"dimensions", ordered_json::object()}};
  for (const SpaceDimension& dimension : inputs.space.dimensions)
    value["dimensions"][dimension.option] = dimension.values;
  value["grids"] = ordered_json::array();
  for (const Grid grid : inputs.space.grids) value["grids"].push_back(to_string(grid));
  return value;
}

std::map<std::string, std::string> texts_of(const nlohmann::json& object) {
  return object.get<std::map<std::string, std::string>>();
}

SweepInputs inputs_of(const std::string& path, JsonObject& root) {
  SweepInputs inputs;
  try {
    inputs.options = texts_of(root.any("options"));
    inputs.files = texts_of(root.any("files"));
    // In the order of the product, which objects do not keep.
    const nlohmann::json& dimensions = root.any("dimensions");
    for (const char* option : kSweptOptions)
      inputs.space.dimensions.push_back({option, dimensions.at(option).get<std::vector<std::string>>()});
    for (const nlohmann::json& grid : root.array("grids"))
      inputs.space.grids.push_back(parse_grid("grids", grid.get<std::string>()));
  } catch (const nlohmann::json::exception&) {
    throw refusal(path, "has a header that was changed; expected what simtrain sweep wrote");
  }
  for (const SpaceDimension& dimension : inputs.space.dimensions)
    if (dimension.values.empty()) throw refusal(path, "has a header without any " + dimension.option);
  if (inputs.space.grids.empty()) throw refusal(path, "has a header without any grid");
  return inputs;
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : " | ") + value;
  return text;
}

std::vector<std::string> texts_of(const std::vector<Grid>& grids) {
  std::vector<std::string> texts;
  for (const Grid grid : grids) texts.push_back(to_string(grid));
  return texts;
}

// Of two maps, what is not the same under one of the keys.
void compare(
    const std::map<std::string, std::string>& theirs, const std::map<std::string, std::string>& ours,
    const std::function<std::string(const std::string& key, const std::string& theirs, const std::string& ours)>& text,
    std::vector<std::string>& differences) {
  std::map<std::string, std::string> all = theirs;
  all.insert(ours.begin(), ours.end());
  const auto value = [](const auto& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::string(kNone) : found->second;
  };
  for (const auto& [key, ignored] : all)
    if (value(theirs, key) != value(ours, key)) differences.push_back(text(key, value(theirs, key), value(ours, key)));
}

std::vector<std::string> differences_of(const SweepInputs& theirs, const SweepInputs& ours, const std::string& there,
                                        const std::string& here) {
  std::vector<std::string> differences;
  const auto option = [&](const std::string& key, const std::string& a, const std::string& b) {
    const std::string name = "--" + key;
    if (a == kNone || b == kNone)
      return name + " is given " + (a == kNone ? here : there) + " and not " + (a == kNone ? there : here);
    return name + " is '" + a + "' " + there + " and '" + b + "' " + here;
  };
  for (std::size_t i = 0; i < ours.space.dimensions.size(); ++i) {
    const SpaceDimension &a = theirs.space.dimensions.at(i), &b = ours.space.dimensions[i];
    if (a != b) differences.push_back(option(b.option, joined(a.values), joined(b.values)));
  }
  if (theirs.space.grids != ours.space.grids)
    differences.push_back("grids are " + joined(texts_of(theirs.space.grids)) + " " + there + " and " +
                          joined(texts_of(ours.space.grids)) + " " + here);
  compare(theirs.options, ours.options, option, differences);
  compare(
      theirs.files, ours.files,
      [](const std::string& key, const std::string& a, const std::string& b) {
        return key + (a == kNone || b == kNone ? " is not an input of both" : " has other contents now");
      },
      differences);
  return differences;
}

ordered_json line_begin(std::size_t point) { return {{"point", point}}; }

}  // namespace

int SweepInputs::replicas() const {
  const auto found = options.find("replicas");
  return found == options.end() ? 0 : static_cast<int>(parse_integer("--replicas", found->second, 1, kMostReplicas));
}

bool SweepInputs::pruned() const { return options.contains("prune"); }

std::string SweepInputs::line() const {
  const ordered_json values = values_of(*this);
  ordered_json header = {{"format", kFormat},
                         {"version", kResultsVersion},
                         {"program", SIMTRAIN_VERSION},
                         {"inputs", sha256_hex(line_of(values))}};
  header.update(values);
  return line_of(header);
}

SweepInputs parse_header(const std::string& path, std::string_view line) {
  const auto foreign = refusal(path, "is none of simtrain sweep's; expected one, or the name of a new file");
  nlohmann::json value;
  try {
    value = parse_json(kWhat, path, line);
  } catch (const InputError&) {
    throw foreign;
  }
  if (!value.is_object() || value.value("format", nlohmann::json()) != kFormat) throw foreign;
  JsonObject root(kWhat, path, value);
  (void)root.text("format");
  if (const std::int64_t version = root.integer("version", 0); version != kResultsVersion)
    throw refusal(path, "has version " + std::to_string(version) + " of the format; expected " +
                            std::to_string(kResultsVersion) + ", or the name of a new file");
  if (const std::string program = root.text("program"); program != SIMTRAIN_VERSION)
    throw refusal(path, "was written by simtrain " + program + ", and this is " + SIMTRAIN_VERSION +
                            ", whose results may differ; expected the same version, or the name of a new file");
  const std::string hash = root.text("inputs");
  SweepInputs inputs = inputs_of(path, root);
  root.finish();
  if (sha256_hex(line_of(values_of(inputs))) != hash)
    throw refusal(path, "has a header that was changed; expected what simtrain sweep wrote");
  return inputs;
}

void check_same_sweep(const std::string& path, const SweepInputs& theirs, const std::string& ours_name,
                      const SweepInputs& ours) {
  if (theirs.line() == ours.line()) return;
  const std::string here = ours_name.empty() ? "here" : "in '" + ours_name + "'";
  const std::vector<std::string> differences = differences_of(theirs, ours, "there", here);
  constexpr std::size_t kMostShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostShown, differences.size()); ++i)
    text += (i > 0 ? "; " : "") + differences[i];
  if (differences.size() > kMostShown) text += "; and " + std::to_string(differences.size() - kMostShown) + " more";
  throw refusal(path, "is of another sweep: " + text +
                          (ours_name.empty() ? ". Expected the same command, or the name of a new file" : ""));
}

std::string result_line(std::size_t point, const std::string& result_json) {
  ordered_json value = line_begin(point);
  value["result"] = ordered_json::parse(result_json);
  return line_of(value);
}

std::string error_line(std::size_t point, const std::string& error) {
  ordered_json value = line_begin(point);
  value["error"] = error;
  return line_of(value);
}

std::string skipped_line(std::size_t point) {
  ordered_json value = line_begin(point);
  value["skipped"] = true;
  return line_of(value);
}

std::string bound_line(std::size_t point, double lower_bound_s) {
  ordered_json value = line_begin(point);
  value["lower_bound_s"] = lower_bound_s;
  return line_of(value);
}

std::string replica_line(std::size_t point, int replica, double iteration_s) {
  ordered_json value = line_begin(point);
  value["replica"] = replica;
  value["iteration_s"] = iteration_s;
  return line_of(value);
}

std::string replica_error_line(std::size_t point, int replica, const std::string& error) {
  ordered_json value = line_begin(point);
  value["replica"] = replica;
  value["error"] = error;
  return line_of(value);
}

}  // namespace simtrain
