#include "report/trace.hpp"

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/files.hpp"
#include "base/units.hpp"
#include "report/collective_of.hpp"
#include "report/trace_tracks.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

constexpr int kProcess = 1;

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// To the ns, and a tenth of one: Perfetto cuts what a double makes of 0.3 µs, 299.99... ns, and drops slices that
// overlap.
std::string microseconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld1", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

// "3, 4, 5"
template <typename Numbers>
std::string listed(const Numbers& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

template <typename Chosen>
std::string ranks_that(const Timeline& timeline, const Chosen& chosen) {
  std::vector<int> ranks;
  for (const TimelineRank& rank : timeline.ranks)
    if (chosen(rank)) ranks.push_back(rank.rank);
  return listed(ranks);
}

bool uses_library(const Result& result) {
  bool found = false;
  for (const LayerResult& layer : result.layers)
    for_each_collective(layer, [&](Phase, const CollectiveResult& one) { found = found || one.algorithm == "mpi"; });
  return found;
}

std::string messages_text(const Result& result) {
  if (result.job.detail == "merged")
    return "none: with merged detail the rounds of a collective take place as one (--detail messages has them)";
  if (uses_library(result)) return "none of the library's own collectives, which does not tell of them";
  return "of the ranks that are here, with arrows between them";
}

ordered_json metadata(const Result& result) {
  const Timeline& timeline = *result.timeline;
  const JobResult& job = result.job;
  ordered_json value = {{"program", "simtrain " + result.version},
                        {"kind", result.kind},
                        {"network", job.network},
                        {"batch", job.batch},
                        {"grid", std::to_string(job.grid_rows) + "x" + std::to_string(job.grid_columns)},
                        {"strategy", job.strategy},
                        {"collectives", job.collectives},
                        {"detail", job.detail}};
  if (result.platform) value["platform"] = result.platform->name;
  value["iteration"] = std::to_string(timeline.iteration) + " of " + std::to_string(job.iterations);
  value["ranks"] = ranks_that(timeline, [](const TimelineRank& rank) { return !rank.left_out; });
  value["time"] = result.kind == "native" ? "measured; each rank's since it began the iteration"
                                          : "simulated, since the first of these ranks began the iteration";
  value["messages"] = messages_text(result);
  value["left_out"] = left_out_text(timeline);
  return value;
}

// The i-th message from one rank to another, of the background or not: an arrow, where both ends are known.
using Arrow = std::tuple<int, int, bool, int>;
class Arrows {
 public:
  explicit Arrows(const Timeline& timeline) {
    int next = 0;
    for (const bool sent : {true, false})
      for (const TimelineRank& rank : timeline.ranks) {
        std::map<Arrow, int> counts;
        for (const TimelineMessage& message : rank.messages) {
          if (message.sent != sent) continue;
          const Arrow arrow = arrow_of(rank.rank, message, counts);
          if (sent)
            begun_.emplace(arrow, 0);
          else if (const auto begun = begun_.find(arrow); begun != begun_.end())
            begun->second = ++next;
        }
      }
  }

  // Counts on; 0: none. To be asked once for each message, in the order of the rank's, sent ones and received ones.
  int next_of(int rank, const TimelineMessage& message, std::map<Arrow, int>& counts) const {
    const auto begun = begun_.find(arrow_of(rank, message, counts));
    return begun == begun_.end() ? 0 : begun->second;
  }

 private:
  static Arrow arrow_of(int rank, const TimelineMessage& message, std::map<Arrow, int>& counts) {
    const int from = message.sent ? rank : message.peer, to = message.sent ? message.peer : rank;
    return {from, to, message.background, counts[{from, to, message.background, 0}]++};
  }

  std::map<Arrow, int> begun_;
};

class TraceWriter {
 public:
  TraceWriter(const std::filesystem::path& path, const Result& result)
      : result_(result), arrows_(*result.timeline), file_(path) {}

  void write() {
    file_.write("{\"displayTimeUnit\":\"ns\",\n\"otherData\":" + dump(metadata(result_)) + ",\n\"traceEvents\":[\n");
    const JobResult& job = result_.job;
    name("process_name", 0,
         job.network + " on " + std::to_string(job.grid_rows) + " x " + std::to_string(job.grid_columns) +
             (result_.platform ? ", " + result_.platform->name : ""));
    for (const TimelineRank& rank : result_.timeline->ranks)
      if (!rank.left_out) write(rank);
    file_.write("\n]}\n");
    file_.finish();
  }

 private:
  void event(const std::string& text) {
    file_.write(first_ ? text : ",\n" + text);
    first_ = false;
  }

  void name(const std::string& what, int thread, const std::string& text) {
    event(dump({{"ph", "M"}, {"pid", kProcess}, {"tid", thread}, {"name", what}, {"args", {{"name", text}}}}));
  }

  void write(const TimelineRank& rank) {
    std::vector<int> arrows;  // by message
    std::map<Arrow, int> counts;
    for (const TimelineMessage& message : rank.messages) arrows.push_back(arrows_.next_of(rank.rank, message, counts));
    for (const Track& track : tracks_of(rank)) {
      name("thread_name", ++thread_, track.name);
      event(dump({{"ph", "M"},
                  {"pid", kProcess},
                  {"tid", thread_},
                  {"name", "thread_sort_index"},
                  {"args", {{"sort_index", thread_}}}}));
      for (const TrackEvent& one : track.events)
        if (one.message)
          write(one, rank.messages[one.index], arrows[one.index]);
        else
          write(one, rank.slices[one.index]);
    }
  }

  void complete(const TrackEvent& at, const std::string& text, const char* category, const ordered_json& arguments) {
    event("{\"ph\":\"X\",\"pid\":1,\"tid\":" + std::to_string(thread_) + ",\"ts\":" + microseconds(at.begin_ns) +
          ",\"dur\":" + microseconds(at.end_ns - at.begin_ns) + ",\"cat\":\"" + category + "\",\"name\":" + dump(text) +
          ",\"args\":" + dump(arguments) + "}");
  }

  [[nodiscard]] const std::string& layer(int number) const {
    return result_.layers.at(static_cast<std::size_t>(number)).name;
  }

  void write(const TrackEvent& at, const TimelineSlice& slice) {
    ordered_json arguments = {{"layer", layer(slice.layer)}};
    if (slice.doing < 0) {
      const std::string what = slice.doing == kAdding ? "adding" : "packing";
      arguments["phase"] = what;
      return complete(at, layer(slice.layer) + " " + what, "compute", arguments);
    }
    const auto phase = static_cast<Phase>(slice.doing);
    std::string text = layer(slice.layer) + " " + name_of(phase);
    arguments["phase"] = kPhaseKeys[static_cast<std::size_t>(phase)];
    if (!computes(phase)) arguments["bytes_sent"] = static_cast<std::int64_t>(slice.bytes_sent);
    if (slice.bucket >= 0) {
      const std::vector<int>& bucket = result_.timeline->buckets.at(static_cast<std::size_t>(slice.bucket));
      arguments["layers"] = ordered_json::array();
      for (const int number : bucket) arguments["layers"].push_back(layer(number));
      if (bucket.size() > 1) text = layer(bucket.front()) + " to " + layer(bucket.back()) + " " + name_of(phase);
    }
    complete(at, text, computes(phase) ? "compute" : "communication", arguments);
  }

  void write(const TrackEvent& at, const TimelineMessage& message, int arrow) {
    ordered_json arguments = {
        {message.sent ? "to" : "from", message.peer}, {"bytes", message.bytes}, {"messages", message.messages}};
    if (message.background) arguments["background"] = true;
    complete(at, (message.sent ? "to rank " : "from rank ") + std::to_string(message.peer), "message", arguments);
    if (arrow == 0 || at.end_ns == at.begin_ns) return;  // an arrow ends within its slice
    event("{\"ph\":" + std::string(message.sent ? "\"s\"" : "\"f\",\"bp\":\"e\"") + ",\"pid\":1,\"tid\":" +
          std::to_string(thread_) + ",\"ts\":" + microseconds(message.sent ? at.begin_ns : at.end_ns - 1) +
          ",\"cat\":\"message\",\"name\":\"message\",\"id\":" + std::to_string(arrow) + "}");
  }

  const Result& result_;
  Arrows arrows_;
  OutputFile file_;
  bool first_ = true;
  int thread_ = 0;
};

}  // namespace

void write_trace(const std::filesystem::path& path, const Result& result) { TraceWriter(path, result).write(); }

std::string left_out_text(const Timeline& timeline) {
  const std::string ranks = ranks_that(timeline, [](const TimelineRank& rank) { return rank.left_out; });
  const std::string messages =
      ranks_that(timeline, [](const TimelineRank& rank) { return rank.messages_left_out && !rank.left_out; });
  std::string text;
  if (!ranks.empty()) text = "ranks " + ranks;
  if (!messages.empty()) text += (text.empty() ? "" : ", and ") + ("messages of ranks " + messages);
  if (text.empty()) return "";
  return text + " left out: there would be more than " + format_count(static_cast<double>(timeline.most_events)) +
         " events";
}

}  // namespace simtrain
