// Is JSON a faithful and strict form of a result? Also writes the files that the schema tests validate.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "report/json.hpp"
#include "report/sweep.hpp"
#include "report/terminal.hpp"
#include "tests/support/sample_result.hpp"

namespace simtrain {
namespace {

using nlohmann::json;

// What reading says about a document: "" when it is accepted.
std::string complaint(const std::string& text) {
  try {
    (void)result_from_json("r.json", text);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

void expect_complaint(const json& document, const std::string& about) {
  const std::string text = complaint(document.dump());
  EXPECT_NE(text.find("r.json"), std::string::npos) << text;
  EXPECT_NE(text.find(about), std::string::npos) << "expected '" << about << "' in '" << text << "'";
}

json sample_document() {
  return json::parse(to_json(with_search(with_machine(with_replicas(with_phases(sample_result()))))));
}

// Calls visit(pointer) for every object of the document.
template <typename Visit>
void for_each_object(const json& value, const json::json_pointer& at, const Visit& visit) {
  if (value.is_object()) visit(at);
  if (value.is_structured())
    for (const auto& [key, child] : value.items())
      for_each_object(child, value.is_array() ? at / std::stoul(key) : at / key, visit);
}

TEST(ResultJson, RoundTripGivesAnEqualResult) {
  Result calibrated = sample_result();
  calibrated.platform->network_model = "calibrated";
  calibrated.platform->network_source = "remote messages up to 1.00 MiB";
  calibrated.platform->network_outside_share = 0.25;
  for (const Result& result :
       {sample_result(), calibrated, sample_native_result(), with_phases(sample_native_result()),
        with_replicas(sample_result()), with_machine(sample_result()), with_search(sample_result()),
        with_redistribution(sample_result()), with_phases(with_redistribution(sample_result())),
        with_phases(with_halo(sample_result())), with_phases(with_columns(sample_result()))}) {
    const std::string text = to_json(result);
    EXPECT_EQ(result_from_json("r.json", text), result);
    EXPECT_EQ(to_json(result_from_json("r.json", text)), text);
  }
}

TEST(ResultJson, KeepsNumbersToTheLastBit) {
  Result result = sample_result();
  result.iteration_s = 0.1 + 0.2;  // 0.30000000000000004
  result.iteration_seconds = {result.iteration_s};
  result.layers[0].forward_s.mean = std::nextafter(1.0, 2.0);
  result.layers[1].all_gather.bytes_sent.mean = 9007199254740993.0 * 1024;
  EXPECT_EQ(result_from_json("r.json", to_json(result)), result);
}

TEST(ResultJson, HasVersionKindAndTotals) {
  const json document = sample_document();
  EXPECT_EQ(document.at("schema"), "simtrain-result");
  EXPECT_EQ(document.at("schema_version"), 3);
  EXPECT_EQ(document.at("kind"), "simulated");
  EXPECT_DOUBLE_EQ(document.at("totals").at("compute_s").get<double>(), 0.048);
  EXPECT_DOUBLE_EQ(document.at("totals").at("communication_s").get<double>(), 0.022);
  EXPECT_DOUBLE_EQ(document.at("totals").at("epoch_s").get<double>(), 8.0);
  EXPECT_DOUBLE_EQ(document.at("memory").at("total_bytes").get<double>(), 20 * kMiB);
  EXPECT_EQ(document.at("job").at("seed").get<std::uint64_t>(), 18446744073709551615U);
}

TEST(ResultJson, HasPhasesAndWhereThereAreNoneNull) {
  const json phases = sample_document().at("layers").at(0).at("phases");  // no all-reduce of dX
  EXPECT_TRUE(phases.at("reduce_data").is_null());
  EXPECT_DOUBLE_EQ(phases.at("backward").at("median_s").get<double>(), 0.020);
  EXPECT_DOUBLE_EQ(phases.at("backward").at("begin_s").at("mean").get<double>(), 0.002);
  EXPECT_DOUBLE_EQ(phases.at("backward").at("end_s").at("max").get<double>(), 0.024);
  const json none = json::parse(to_json(sample_result()));
  for (const auto& [key, phase] : none.at("layers").at(1).at("phases").items()) EXPECT_TRUE(phase.is_null()) << key;
}

// Layers that are not redistributed look as they did before there was such a thing.
TEST(ResultJson, HasRedistributionWhereThereIsOne) {
  const json document = json::parse(to_json(with_phases(with_redistribution(sample_result()))));
  const json &a = document["layers"][0], &b = document["layers"][1];
  for (const char* key : {"redistribute", "grid_rows", "grid_columns"}) {
    EXPECT_FALSE(a.contains(key)) << key;
    EXPECT_TRUE(b.contains(key)) << key;
  }
  EXPECT_FALSE(a["phases"].contains("redistribute"));
  EXPECT_EQ(b["phases"]["redistribute"]["median_s"], 0.005);
  EXPECT_EQ(b["redistribute"]["messages"], 24);
  EXPECT_EQ(b["grid_columns"], 4);
  EXPECT_NEAR(document["totals"]["communication_s"].get<double>(), 0.027, 1e-12);
}

TEST(ResultJson, HasSumsOfOutputsWhereThereAreSome) {
  const json document = json::parse(to_json(with_phases(with_columns(sample_result()))));
  const json &a = document["layers"][0], &b = document["layers"][1];
  EXPECT_FALSE(a.contains("reduce_output"));
  EXPECT_FALSE(a["phases"].contains("reduce_output"));
  EXPECT_EQ(b["reduce_output"]["group_size"], 4);
  EXPECT_EQ(b["phases"]["reduce_output"]["median_s"], 0.003);
  EXPECT_EQ(b["all_gather"]["algorithm"], "none");
  EXPECT_NEAR(document["totals"]["communication_s"].get<double>(), 0.015, 1e-12);
}

TEST(ResultJson, HasHalosWhereThereAreSome) {
  const json document = json::parse(to_json(with_phases(with_halo(sample_result()))));
  const json &a = document["layers"][0], &b = document["layers"][1];
  for (const char* key : {"halo", "strips"}) {
    EXPECT_TRUE(a.contains(key)) << key;
    EXPECT_FALSE(b.contains(key)) << key;
  }
  EXPECT_EQ(a["strips"], 2);
  EXPECT_EQ(a["halo"]["messages"], 16);
  EXPECT_EQ(a["phases"]["halo"]["median_s"], 0.002);
  EXPECT_FALSE(a["phases"].contains("redistribute"));
  EXPECT_NEAR(document["totals"]["communication_s"].get<double>(), 0.024, 1e-12);
}

TEST(ResultJson, EveryMissingOrUnknownKeyIsRefused) {
  const json document = sample_document();
  int keys = 0;
  for_each_object(document, json::json_pointer(), [&](const json::json_pointer& at) {
    json changed = document;
    changed[at]["colour"] = 1;
    expect_complaint(changed, "colour");
    for (const auto& [key, value] : document[at].items()) {
      if (key == "profile" || key == "host_bytes" || key == "replicas") continue;  // may be absent
      if (at.empty() && (key == "links" || key == "slow_parts" || key == "placement_trials" ||
                         key == "strategy_search" || key == "bounds"))
        continue;
      changed = document;
      changed[at].erase(key);
      expect_complaint(changed, key);
      ++keys;
    }
  });
  EXPECT_GT(keys, 100);
}

TEST(ResultJson, WrongTypesAndRangesAreRefused) {
  const auto with = [](const char* pointer, const json& value) {
    json document = sample_document();
    document[json::json_pointer(pointer)] = value;
    return document;
  };
  expect_complaint(with("/schema", "simtrain-profile"), "'schema'");
  expect_complaint(with("/schema_version", 1), "'schema_version'");
  expect_complaint(with("/kind", "imagined"), "imagined");
  expect_complaint(with("/job/batch", 0), "'job.batch'");
  expect_complaint(with("/job/seed", -1), "'job.seed'");
  expect_complaint(with("/layers/1/forward_s/mean", -0.1), "'layers[1].forward_s.mean'");
  expect_complaint(with("/layers/0/name", 7), "'layers[0].name'");
  expect_complaint(with("/layers/1/phases/update/begin_s/max", "late"), "'layers[1].phases.update.begin_s.max'");
  expect_complaint(with("/layers/1/phases/update", 3), "'layers[1].phases.update'");
  expect_complaint(with("/job/dropout", "yes"), "'job.dropout'");
  expect_complaint(with("/iteration_seconds", json::array()), "'iteration_seconds'");
  expect_complaint(with("/losses", json::array({"a"})), "'losses[0]'");
  expect_complaint(with("/links/classes/0/bytes", -1), "'links.classes[0].bytes'");
  expect_complaint(with("/links/count", 7), "'links.count'");
  expect_complaint(with("/slow_parts/hosts/0/factor", 2), "'slow_parts.hosts[0].factor'");
  expect_complaint(with("/slow_parts/without/0/grid_rows", 0), "'slow_parts.without[0].grid_rows'");
  expect_complaint(with("/placement_trials/0/iteration_s", "fast"), "'placement_trials[0].iteration_s'");
  expect_complaint(with("/strategy_search/chosen", 3), "'strategy_search.chosen'");
  expect_complaint(with("/strategy_search/trials/0/formula_s", -1), "'strategy_search.trials[0].formula_s'");
  expect_complaint(with("/strategy_search/layers/0/seconds/compute_s", -1), "compute_s'");
  expect_complaint(with("/strategy_search/layers/0/other/changed/0", 1), "changed'");
  expect_complaint(with("/memory/ranks_on_host", 0), "'memory.ranks_on_host'");
  expect_complaint(with("/native", json::object()), "'native'");  // a simulated result has none
}

TEST(ResultJson, TotalsMustAgreeWithTheLayers) {
  json document = sample_document();
  document["layers"][0]["forward_s"]["mean"] = 0.011;
  expect_complaint(document, "'totals.compute_s'");
  document = sample_document();
  document["iteration_s"] = 0.0801;
  expect_complaint(document, "'iteration_s'");
  document = sample_document();
  document["iteration"]["p95_s"] = 0.081;  // of 79 and 81 ms it is 80.9
  expect_complaint(document, "'iteration.p95_s'");
  document = sample_document();
  document["memory"]["total_bytes"] = 1;
  expect_complaint(document, "'memory.total_bytes'");
}

TEST(ResultJson, TruncatedTextIsRefused) {
  const std::string text = to_json(sample_result());
  for (std::size_t length = 0; length + 2 < text.size(); length += 97)  // the last two are "}\n"
    EXPECT_NE(complaint(text.substr(0, length)), "") << length;
}

TEST(ResultJson, DivergedLossesAreNull) {
  Result result = sample_native_result();
  result.losses = {2.5, std::numeric_limits<double>::infinity(), std::nan("")};
  const json losses = json::parse(to_json(result)).at("losses");
  EXPECT_EQ(losses, json::array({2.5, nullptr, nullptr}));
  const Result read = result_from_json("r.json", to_json(result));
  ASSERT_EQ(read.losses.size(), 3U);
  EXPECT_TRUE(std::isnan(read.losses[1]));
  EXPECT_NE(to_text(read).find("diverged"), std::string::npos);
}

TEST(ResultJsonDeathTest, OtherNonFiniteNumbersAreABug) {
  Result result = sample_result();
  result.layers[0].update_s.max = std::nan("");
  EXPECT_DEATH((void)to_json(result), "update_s");
}

TEST(ResultJson, ReplicasMustAgreeWithThemselves) {
  const json document = sample_document();
  EXPECT_EQ(document["replicas"]["count"], 5);
  EXPECT_DOUBLE_EQ(document["replicas"]["p5_s"].get<double>(), 0.0768);
  EXPECT_DOUBLE_EQ(document["replicas"]["median_s"].get<double>(), 0.081);
  EXPECT_DOUBLE_EQ(document["replicas"]["p95_s"].get<double>(), 0.089);
  EXPECT_FALSE(json::parse(to_json(sample_result())).contains("replicas"));
  for (const char* key : {"count", "p5_s", "median_s", "p95_s"}) {
    json edited = document;
    edited["replicas"][key] = 7;
    expect_complaint(edited, std::string("replicas.") + key);
  }
  json none = document;
  none["replicas"]["iteration_seconds"] = json::array();
  expect_complaint(none, "replicas.iteration_seconds");
}

// Validated by unit.result_schema.* against docs/*.schema.json.
TEST(ResultJson, WritesFilesForTheSchemaTests) {
  Result diverged = sample_native_result();
  diverged.losses.push_back(std::nan(""));
  const Result simulated = with_search(with_machine(with_replicas(with_phases(sample_result()))));
  write_file("result-simulated.json", to_json(simulated));
  write_file("result-native.json", to_json(diverged));
  const Result with = with_replicas(sample_result());
  Sweep sweep{{{"platform", {"a", "b"}}, {"batch", {"64"}}},
              {{.grid_rows = 4, .grid_columns = 2, .values = {"a", "64"}, .result = with, .error = ""},
               {.grid_rows = 2, .grid_columns = 4, .values = {"b", "64"}, .result = with, .error = ""},
               {.grid_rows = 9, .grid_columns = 1, .values = {"b", "64"}, .result = {}, .error = "too large"},
               {.grid_rows = 1, .grid_columns = 8, .values = {"b", "64"}, .result = {}, .error = ""}}};
  sweep.points[3].skipped = true;
  sweep.points[3].lower_bound_s = 0.3;
  sweep.passport =
      Passport{"simtrain", {"sweep", "--grids", "4x2"}, {{"SimGrid", "3.32"}}, {}, "here", "2026-11-30T14:16:58Z"};
  write_file("sweep.json", sweep_to_json(sweep));
  json broken = sample_document();
  broken["layers"][1]["colour"] = "red";
  write_file("result-broken.json", broken.dump());
  EXPECT_EQ(result_from_json("result-simulated.json", read_file("result", "result-simulated.json")), simulated);
}

}  // namespace
}  // namespace simtrain
