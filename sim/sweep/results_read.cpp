// The lines of a results file, read back.
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "report/json.hpp"
#include "sim/sweep/results.hpp"

namespace simtrain {

namespace {

constexpr double kMostSeconds = 1e18;

template <typename Value>
void add(std::optional<Value>& known, std::optional<Value> value, const char* what) {
  if (known && value && *known != *value) throw InputError(std::string("another ") + what + " than there was before");
  if (value) known = std::move(value);
}

template <typename Value>
void add(std::map<int, Value>& known, const std::map<int, Value>& values) {
  for (const auto& [replica, value] : values)
    if (const auto [place, added] = known.try_emplace(replica, value); !added && place->second != value)
      throw InputError("another replica than there was before");
}

// What one line says.
PointState state_of(JsonObject& object, const SweepInputs& inputs) {
  PointState state;
  if (object.has("replica")) {
    const auto replica = static_cast<int>(object.integer("replica", 0, inputs.replicas() - 1));
    if (object.has("error"))
      state.replica_errors[replica] = object.text("error");
    else
      state.replicas[replica] = object.number("iteration_s", 0, kMostSeconds);
  } else if (object.has("result")) {
    state.result = result_from_json("", object.any("result").dump());
  } else if (object.has("error")) {
    state.error = object.text("error");
  } else if (object.has("lower_bound_s")) {
    state.lower_bound_s = object.number("lower_bound_s", 0, kMostSeconds);
  } else {
    state.skipped = object.boolean("skipped");
  }
  return state;
}

// A line of another sweep, copied into this file: a header's hash does not cover its lines.
void check_is_of(const Result& result, const SpacePoint& point, const SweepSpace& space) {
  const Grid grid{result.job.grid_rows, result.job.grid_columns};
  if (grid != point.grid)
    throw InputError("a result of grid " + to_string(grid) + ", and the point's is " + to_string(point.grid));
  for (std::size_t i = 0; i < point.values.size(); ++i)
    if (const std::string& batch = point.values[i];
        space.dimensions[i].option == "batch" && !batch.empty() && batch != std::to_string(result.job.batch))
      throw InputError("a result of batch " + std::to_string(result.job.batch) + ", and the point's is " + batch);
}

void read_object(JsonObject& object, const SweepInputs& inputs, PointStates& states) {
  const auto points = static_cast<std::int64_t>(inputs.space.size());
  const auto point = static_cast<std::size_t>(object.integer("point", 0, points - 1));
  PointState state = state_of(object, inputs);
  if (state.result) check_is_of(*state.result, inputs.space.point(point), inputs.space);
  object.finish();
  join(states[point], std::move(state));
}

}  // namespace

void join(PointState& known, PointState other) {
  // By their texts: losses may be no numbers, which are not equal to themselves.
  if (known.result && other.result && to_json(*known.result) != to_json(*other.result))
    throw InputError("another result than there was before");
  if (other.result) known.result = std::move(other.result);
  add(known.error, std::move(other.error), "error");
  add(known.lower_bound_s, other.lower_bound_s, "lower bound");
  add(known.replicas, other.replicas);
  add(known.replica_errors, other.replica_errors);
  known.skipped = known.skipped || other.skipped;
  if (known.result && known.error) throw InputError("a result and an error");
}

void read_line(const std::string& path, std::size_t number, std::string_view line, const SweepInputs& inputs,
               PointStates& states) {
  try {
    nlohmann::json value;
    try {
      value = parse_json("it", "", line);
    } catch (const InputError&) {
      throw InputError("it is no JSON");
    }
    JsonObject object("it", "", value);
    read_object(object, inputs, states);
  } catch (const InputError& error) {
    throw InputError(
        "results file '" + path + "', line " + std::to_string(number) + ": is not what simtrain sweep wrote (" +
        error.what() +
        "); expected a whole line of JSON for each point, or take the line out to simulate its point again");
  }
}

ResultsFile read_results(const std::string& path) {
  const std::string text = read_file("results file", path);
  const std::size_t header_end = text.find('\n');
  if (header_end == std::string::npos)
    throw InputError("results file '" + path + "' " + (text.empty() ? "is empty" : "is none of simtrain sweep's") +
                     "; expected what --results wrote");
  ResultsFile file{parse_header(path, std::string_view(text).substr(0, header_end)), {}, false};
  std::size_t begin = header_end + 1, number = 2;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    read_line(path, number++, std::string_view(text).substr(begin, end - begin), file.inputs, file.states);
  file.cut_off = begin < text.size();
  return file;
}

}  // namespace simtrain
