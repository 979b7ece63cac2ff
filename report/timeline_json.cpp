#include "report/timeline_json.hpp"

#include "base/error.hpp"

namespace simtrain {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json write(const TimelineRank& rank) {
  ordered_json value = {{"rank", rank.rank},
                        {"row", rank.row},
                        {"column", rank.column},
                        {"begin_s", rank.begin_s},
                        {"end_s", rank.end_s}};
  value["messages_left_out"] = rank.messages_left_out;
  value["left_out"] = rank.left_out;
  value["slices"] = ordered_json::array();
  for (const TimelineSlice& one : rank.slices)
    value["slices"].push_back({one.begin_s, one.end_s, one.layer, one.doing, one.bucket, one.bytes_sent, one.beside});
  value["messages"] = ordered_json::array();
  for (const TimelineMessage& one : rank.messages)
    value["messages"].push_back({one.begin_s, one.end_s, one.peer, one.sent, one.background, one.bytes, one.messages});
  return value;
}

// The lists have no keys of their own to name in an error.
const json& list(const json& value, std::size_t length) {
  if (!value.is_array() || value.size() != length)
    throw InputError("a timeline: expected a list of " + std::to_string(length) + ", found " + value.dump());
  return value;
}

TimelineRank read_rank(JsonObject from) {
  TimelineRank rank;
  rank.rank = static_cast<int>(from.integer("rank", 0, INT32_MAX));
  rank.row = static_cast<int>(from.integer("row", 0, INT32_MAX));
  rank.column = static_cast<int>(from.integer("column", 0, INT32_MAX));
  constexpr double kLargest = 1e300;
  rank.begin_s = from.number("begin_s", -kLargest, kLargest);
  rank.end_s = from.number("end_s", -kLargest, kLargest);
  rank.messages_left_out = from.boolean("messages_left_out");
  rank.left_out = from.boolean("left_out");
  for (const json& one : from.array("slices")) {
    const json& at = list(one, 7);
    rank.slices.push_back({.begin_s = at[0],
                           .end_s = at[1],
                           .layer = at[2],
                           .doing = at[3],
                           .bucket = at[4],
                           .bytes_sent = at[5],
                           .beside = at[6]});
  }
  for (const json& one : from.array("messages")) {
    const json& at = list(one, 7);
    rank.messages.push_back({.begin_s = at[0],
                             .end_s = at[1],
                             .peer = at[2],
                             .sent = at[3],
                             .background = at[4],
                             .bytes = at[5],
                             .messages = at[6]});
  }
  from.finish();
  return rank;
}

}  // namespace

ordered_json to_json_value(const Timeline& timeline) {
  ordered_json value = {{"iteration", timeline.iteration}, {"most_events", timeline.most_events}};
  value["buckets"] = timeline.buckets;
  value["ranks"] = ordered_json::array();
  for (const TimelineRank& rank : timeline.ranks) value["ranks"].push_back(write(rank));
  return value;
}

Timeline read_timeline(JsonObject from) try {
  Timeline timeline;
  timeline.iteration = static_cast<int>(from.integer("iteration", 1, INT32_MAX));
  timeline.most_events = from.integer("most_events", 1);
  for (const json& bucket : from.array("buckets")) timeline.buckets.push_back(bucket.get<std::vector<int>>());
  for (std::size_t i = 0; i < from.array("ranks").size(); ++i)
    timeline.ranks.push_back(read_rank(from.element("ranks", i)));
  from.finish();
  return timeline;
} catch (const json::exception& error) {  // a text in the place of a number
  throw InputError(std::string("a timeline: ") + error.what());
}

}  // namespace simtrain
