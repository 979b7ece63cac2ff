#include <algorithm>
#include <utility>
#include <vector>

#include "report/sections.hpp"

namespace simtrain {

namespace {

// The largest of what could be had without changing the job.
std::string advice(const BoundsResult& bounds, double whole_s) {
  const std::vector<std::pair<double, std::string>> causes{
      {bounds.contention_s, "sharing links: another placement, grid or collective, or a wider network"},
      {bounds.bandwidth_s, "moving bytes: another grid or strategy, overlap, or faster links"},
      {bounds.latency_s, "latency: fewer or larger messages"},
      {bounds.waiting_s, "waiting for slower ranks: a grid that divides evenly, or without slow hosts"},
      {bounds.slower_s, "hosts that are slow or shared"}};
  const auto largest =
      std::max_element(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  constexpr double kLittle = 0.02;
  if (largest->first < kLittle * whole_s) return "Computing is all but all of it.";
  return "Beyond computing, most goes to " + largest->second + ".";
}

}  // namespace

void add_bounds(Page& page, const Result& result) {
  if (!result.bounds) return;
  const BoundsResult& bounds = *result.bounds;
  const double whole_s = bounds.total();
  const TimeScale time(whole_s);
  page.heading("Bounds, and what is beyond them (" + time.unit() + " of the iteration)");
  Table table({{.heading = "", .align = Table::Align::left},
               {.heading = ""},
               {.heading = ""},
               {.heading = "", .align = Table::Align::left}});
  const auto add = [&](const char* name, double seconds, const char* meaning) {
    if (seconds == 0) return;
    const std::string text = time(std::abs(seconds));
    table.row({name, (seconds < 0 && text.front() != '<' ? "-" : "") + text,
               format_share(std::max(seconds, 0.0), whole_s), meaning});
  };
  add("computing", bounds.computing_s, "mean rank, at the profile's speed");
  add("slower", bounds.slower_s, "slow hosts, cores that ranks share");
  add("adding", bounds.adding_s, "sums of what arrived");
  add("bandwidth", bounds.bandwidth_s, "bytes / bandwidth of the schedule's messages, one after the other");
  add("latency", bounds.latency_s, "of the schedule's messages");
  add("contention", bounds.contention_s, "links shared with other messages");
  add("waiting", bounds.waiting_s, "for ranks that compute longer: imbalance");
  table.rule();
  table.row({"iteration", time(whole_s), format_share(whole_s, whole_s), "slowest rank"});
  page.table(table);
  page.sentence(advice(bounds, whole_s));
  if (result.job.overlaps())
    page.sentence("With overlap: what is exposed of each; additions that are exposed are in waiting.");
}

}  // namespace simtrain
