#include <array>

#include "report/compare.hpp"
#include "report/json_value.hpp"
#include "report/passport_json.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

constexpr int kComparisonSchemaVersion = 4;  // docs/compare.schema.json

ordered_json optional(const char* key, const std::optional<double>& value) {
  return value ? finite(key, *value) : ordered_json(nullptr);
}

ordered_json write(const Contrast& seconds) {
  return {{"reference_s", finite("reference_s", seconds.reference_s)},
          {"other_s", finite("other_s", seconds.other_s)},
          {"difference_s", finite("difference_s", seconds.difference_s())},
          {"relative_error", optional("relative_error", seconds.relative_error())}};
}

ordered_json write_part(const Comparison& comparison, const Contrast& seconds) {
  ordered_json value = write(seconds);
  value["share"] = optional("share", comparison.share(seconds));
  return value;
}

ordered_json write(const std::vector<Mention>& mentions) {
  ordered_json list = ordered_json::array();
  for (const Mention& mention : mentions)
    list.push_back({{"what", mention.what}, {"reference", mention.reference}, {"other", mention.other}});
  return list;
}

ordered_json write(const ComparedResult& one) {
  return {{"label", one.label}, {"file", one.path}, {"kind", one.result.kind}, {"version", one.result.version}};
}

ordered_json write_sources(const Comparison& comparison) {
  ordered_json value;
  value["computing"] = write_part(comparison, comparison.computing);
  value["communication"] = write_part(comparison, comparison.communication);
  value["neither"] = write_part(comparison, comparison.neither);
  value["adding"] = write_part(comparison, comparison.adding);
  if (comparison.reference.result.job.overlaps()) value["hidden"] = write(comparison.hidden);
  for (std::size_t i = 0; i < kPhaseKeys.size(); ++i) {
    const Contrast& seconds = comparison.phases[i];
    const bool none = seconds.reference_s == 0 && seconds.other_s == 0;
    if (!none || !is_rare(static_cast<Phase>(i))) value[kPhaseKeys[i]] = write_part(comparison, seconds);
  }
  value["imbalance"] = write(comparison.imbalance);
  value["extrapolated"] = write(comparison.extrapolated);
  return value;
}

ordered_json write(const Comparison& comparison, const PhaseContrast& one) {
  ordered_json value;
  value["layer"] = one.phase ? ordered_json(one.layer) : nullptr;
  value["phase"] = one.phase ? kPhaseKeys[static_cast<std::size_t>(*one.phase)] : "neither";
  value.update(write_part(comparison, one.seconds));
  return value;
}

}  // namespace

std::string comparison_to_json(const Comparison& comparison) {
  ordered_json document = {
      {"schema", "simtrain-comparison"}, {"schema_version", kComparisonSchemaVersion}, {"version", SIMTRAIN_VERSION}};
  document["reference"] = write(comparison.reference);
  document["other"] = write(comparison.other);
  document["job_differences"] = write(comparison.job_differences);
  document["not_alike"] = write(comparison.mentions);
  document["verdict"] = verdict(comparison);
  document["compared_by"] = comparison.medians ? "median" : "mean";
  document["iteration"] = {{"mean", write(comparison.mean)},
                           {"median", write(comparison.median)},
                           {"least", write(comparison.least)},
                           {"most", write(comparison.most)}};
  document["sources"] = write_sources(comparison);
  document["absolute_difference_s"] = finite("absolute_difference_s", comparison.absolute_difference_s);
  document["differences"] = ordered_json::array();
  for (const PhaseContrast& one : comparison.differences) document["differences"].push_back(write(comparison, one));
  if (!comparison.collectives.empty()) {
    document["collectives"] = ordered_json::array();
    for (const CollectiveContrast& one : comparison.collectives)
      document["collectives"].push_back({{"phase", kPhaseKeys[static_cast<std::size_t>(one.phase)]},
                                         {"seconds", write(one.seconds)},
                                         {"alpha_beta", write(one.alpha_beta)}});
  }
  if (!comparison.links.empty()) {
    document["links"] = ordered_json::array();
    for (const LinkContrast& one : comparison.links)
      document["links"].push_back({{"class", one.name},
                                   {"busiest", write(one.busiest)},
                                   {"reference_bytes", finite("reference_bytes", one.reference_bytes)},
                                   {"other_bytes", finite("other_bytes", one.other_bytes)}});
  }
  add_passport(comparison.passport, document);
  return json_text(document);
}

}  // namespace simtrain
