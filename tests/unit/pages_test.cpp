// Are pages whole, escaped and the same as what the terminal says?
#include "report/pages.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "report/color.hpp"
#include "report/csv.hpp"
#include "report/figures.hpp"
#include "report/html.hpp"
#include "report/sweep.hpp"
#include "report/terminal.hpp"
#include "report/web_page.hpp"
#include "tests/support/sample_result.hpp"

namespace simtrain {
namespace {

const std::string kHostile = "</script><!--<b a='\"'>&";

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t found = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
  return found;
}

std::string nothing(const std::string& /*name*/) { return ""; }

TEST(Html, EscapesWhatHasAMeaning) { EXPECT_EQ(escaped("a<b>&\"'\n\x1b µ"), "a&lt;b&gt;&amp;&quot;&#39;   µ"); }

TEST(Html, BlocksBecomeSectionsListsAndParagraphs) {
  Page page;
  page.heading("One <1>");
  page.fact("a", "1 & 2");
  page.fact("", "more");
  page.fact("b", "3");
  page.sentence("Said.");
  page.warning("look");
  page.figure("gone", "Never seen");
  page.heading("Two");
  page.figure("there");
  EXPECT_EQ(to_html(page, [](const std::string& name) { return name == "there" ? "<hr>\n" : ""; }),
            "<section aria-labelledby=\"section-1\">\n<h1 id=\"section-1\">One &lt;1&gt;</h1>\n"
            "<dl class=\"facts\">\n<div><dt>a</dt><dd>1 &amp; 2</dd><dd>more</dd></div>\n"
            "<div><dt>b</dt><dd>3</dd></div>\n</dl>\n<p>Said.</p>\n"
            "<p class=\"warning\" role=\"note\"><strong>Warning:</strong> look</p>\n</section>\n"
            "<section aria-labelledby=\"section-2\">\n<h2 id=\"section-2\">Two</h2>\n<hr>\n</section>\n");
  EXPECT_EQ(page.text(),
            "One <1>\n  a            1 & 2\n               more\n  b            3\n  Said.\n"
            "  WARNING: look\n\nTwo\n");
}

TEST(Html, TablesHaveHeadingsWithAScope) {
  Table table({{.heading = "name", .align = Table::Align::left},
               {.heading = "all-gather\nY", .group = "moved"},
               {.heading = "sum", .group = "moved"},
               {.heading = "", .align = Table::Align::left}});
  table.row({"<a>", "1", "2", "███"});
  table.rule();
  table.row({"total", "3", "4", ""});
  EXPECT_EQ(to_html(table, "What \"moves\""),
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"What &quot;moves&quot;\">\n<table>\n"
            "<caption class=\"hidden\">What &quot;moves&quot;</caption>\n<thead>\n"
            "<tr><td></td><th scope=\"colgroup\" colspan=\"2\">moved</th><td></td></tr>\n"
            "<tr><th scope=\"col\">name</th><th scope=\"col\" class=\"number\">all-gather Y</th>"
            "<th scope=\"col\" class=\"number\">sum</th><td></td></tr>\n</thead>\n<tbody>\n"
            "<tr><th scope=\"row\">&lt;a&gt;</th><td class=\"number\">1</td><td class=\"number\">2</td>"
            "<td aria-hidden=\"true\"><span class=\"bar\" style=\"width:3ch\"></span></td></tr>\n"
            "<tr class=\"total\"><th scope=\"row\">total</th><td class=\"number\">3</td><td class=\"number\">4</td>"
            "<td></td></tr>\n</tbody>\n</table>\n</div>\n");
}

TEST(Html, JsonInAScriptCannotEndIt) {
  const std::string text = json_for_script({{"name", kHostile + "\u2028"}});
  for (const char* piece : {"<", ">", "&", "\u2028"}) EXPECT_EQ(text.find(piece), std::string::npos) << piece;
  EXPECT_EQ(nlohmann::json::parse(text)["name"], kHostile + "\u2028");
}

Result with_timeline(Result result) {
  const int forward = static_cast<int>(Phase::forward), gather = static_cast<int>(Phase::all_gather);
  TimelineRank rank{.rank = 5, .row = 1, .column = 1, .begin_s = 0, .end_s = 0.080, .slices = {}, .messages = {}};
  rank.slices = {{0, 0.010, 0, forward},     {0.010, 0.012, 0, forward},  // one stretch
                 {0.013, 0.014, 0, kAdding}, {0.012, 0.016, 0, gather},
                 {0.020, 0.030, 1, forward}, {0.022, 0.040, 1, gather, -1, 0, true}};
  result.timeline = Timeline{.iteration = 2, .buckets = {}, .ranks = {rank}};
  return result;
}

TEST(Pages, APredictionHasItsChartsBesideTheirTables) {
  const std::string page = prediction_page(with_timeline(sample_result()));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_EQ(count(page, "<h1"), 1U);
  EXPECT_EQ(count(page, "<canvas"), 3U);
  for (const char* text : {"<title>tiny on 4 x 2, torus.xml - simtrain</title>", "id=\"chart-layers\"",
                           "id=\"chart-timeline\"", "id=\"chart-memory\"", "What some of the ranks do",
                           "<dt>iteration</dt><dd>80.0 ms</dd>", "Chart.js v3", "prefers-color-scheme"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(count(page, "<section"), count(page, "</section>"));
  EXPECT_EQ(page, prediction_page(with_timeline(sample_result())));
  EXPECT_EQ(count(prediction_page(sample_result()), "<canvas"), 2U);
}

// What the terminal says, the page says too: line breaks aside.
TEST(Pages, EverySentenceOfTheReportIsThere) {
  const Result result = with_phases(sample_result());
  const std::string page = prediction_page(result);
  for (const char* text :
       {"Most time: a (60.0 %), b (40.0 %).", "Communication beside the formulas", "OpenBLAS 0.3.21"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
}

nlohmann::json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

// Of the comment at sample_result(), in ms: a has 10, 20, 2; 4, none, 6. b has 5, 10, 1; 2, 8, 2.
TEST(Pages, ChartsHoldTheResultsNumbers) {
  const nlohmann::json charts = data_of(prediction_page(with_timeline(sample_result())));
  ASSERT_EQ(charts.size(), 3U);
  const nlohmann::json& layers = charts[0];
  EXPECT_EQ(layers["unit"], "ms");
  EXPECT_EQ(layers["labels"], nlohmann::json::parse(R"(["a", "b"])"));
  std::map<std::string, std::vector<double>> values;
  for (const nlohmann::json& series : layers["series"])
    values[series["name"]] = series["values"].get<std::vector<double>>();
  const std::map<std::string, std::vector<double>> expected{{"forward", {10, 5}},      {"backward", {20, 10}},
                                                            {"update", {2, 1}},        {"all-gather Y", {4, 2}},
                                                            {"all-reduce dX", {0, 8}}, {"all-reduce dW", {6, 2}}};
  ASSERT_EQ(values.size(), expected.size());
  for (const auto& [name, numbers] : expected)
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(values[name].at(i), numbers[i], 1e-9) << name;
  const nlohmann::json& timeline = charts[1];
  EXPECT_EQ(timeline["labels"], nlohmann::json::parse(R"(["rank 5", "rank 5, beside"])"));
  EXPECT_EQ(timeline["series"][0]["bars"], nlohmann::json::parse(R"([[0, 0.0, 12.0, "a"], [0, 20.0, 30.0, "b"]])"));
  EXPECT_EQ(timeline["series"][1]["bars"], nlohmann::json::parse(R"([[0, 12.0, 16.0, "a"], [1, 22.0, 40.0, "b"]])"));
  EXPECT_EQ(charts[2]["series"].size(), 5U);  // MiB: 1, 2, 3, 10, 4
  EXPECT_EQ(charts[2]["series"][3]["values"], nlohmann::json::parse("[10.0]"));
}

TEST(Pages, NamesAreEscaped) {
  Result result = with_timeline(sample_result());
  result.layers[0].name = result.job.network = result.platform->name = kHostile;
  result.links = LinksResult{.used = 1, .classes = {{kHostile, 1, 5, 0.5, 0.5}}, .busiest = {{kHostile, 5, 0.5}}};
  const std::string page = prediction_page(result);
  const std::string plain = prediction_page(with_timeline(sample_result()));
  for (const char* piece : {"<script", "</script", "<!--", "<b "}) EXPECT_EQ(count(page, piece), count(plain, piece));
  EXPECT_EQ(data_of(page)[0]["labels"][0], kHostile);
}

TEST(Pages, LinksOfATorusByPlace) {
  Result result = sample_result();
  result.links = LinksResult{.used = 3,
                             .classes = {{"x+", 4, 30, 0.3, 0.6}, {"y+", 4, 5, 0.1, 0.2}},
                             .busiest = {{"x+ of (1,0)", 20, 0.6}, {"x+ of (0,1)", 10, 0.3}, {"y+ of (1,1)", 5, 0.2}}};
  const std::string html = links_figure(result);
  EXPECT_EQ(count(html, "<details>"), 2U);
  EXPECT_NE(html.find("<tr><th scope=\"row\" class=\"number\">0</th><td class=\"number\" "
                      "style=\"background:rgba(222,84,30,0.00)\">-</td><td class=\"number\" "
                      "style=\"background:rgba(222,84,30,0.55)\">60.0</td></tr>"),
            std::string::npos);
  result.links->used = 4;  // one of them is not listed
  EXPECT_EQ(count(links_figure(result), "<details>"), 0U);
  result.links->used = 3;
  result.links->busiest[0].name = "leaf up of leaf 2 to core 1";
  EXPECT_EQ(count(links_figure(result), "<details>"), 0U);
  EXPECT_EQ(count(links_figure(result), "<table>"), 1U);
  result.links->used = 0;
  EXPECT_EQ(links_figure(result), "");
}

TEST(Pages, BarsOfLongNamesHaveThePlaceInTheTable) {
  Sweep sweep;
  sweep.dimensions = {{.key = "platform", .values = {"torus:2x4,bandwidth=1GBps", "torus:2x4,bandwidth=2GBps"}}};
  Result slow = sample_result();
  slow.iteration_s = 0.2;
  sweep.points = {
      {.grid_rows = 2, .grid_columns = 4, .values = {"torus:2x4,bandwidth=1GBps"}, .result = slow, .error = {}},
      {.grid_rows = 2,
       .grid_columns = 4,
       .values = {"torus:2x4,bandwidth=2GBps"},
       .result = sample_result(),
       .error = {}}};
  const nlohmann::json labels = data_of(sweep_to_page(sweep, {}))[0]["labels"];
  EXPECT_EQ(labels, nlohmann::json::parse(R"(["#1 torus:2x4,bandwidth=2GBps", "#2 torus:2x4,bandwidth=1GBps"])"));
}

TEST(Pages, ASweepHasABarForEachPoint) {
  Result slow = sample_result();
  slow.iteration_s = 0.1;
  Sweep sweep;
  sweep.points = {{.grid_rows = 4, .grid_columns = 2, .values = {}, .result = slow, .error = {}},
                  {.grid_rows = 2, .grid_columns = 4, .values = {}, .result = sample_result(), .error = {}},
                  {.grid_rows = 8, .grid_columns = 1, .values = {}, .result = {}, .error = kHostile}};
  const std::string page = sweep_to_page(sweep, {});
  const nlohmann::json chart = data_of(page)[0];
  EXPECT_EQ(chart["labels"], nlohmann::json::parse(R"(["2 x 4", "4 x 2"])"));
  EXPECT_NEAR(chart["series"][0]["values"][0].get<double>(), 48, 1e-9);  // of computing
  EXPECT_NEAR(chart["series"][1]["values"][1].get<double>(), 22, 1e-9);  // of communication
  EXPECT_NEAR(chart["series"][2]["values"][1].get<double>(), 30, 1e-9);  // of 100 ms
  EXPECT_NE(page.find(escaped(kHostile)), std::string::npos);
  EXPECT_EQ(to_html(Page(), nothing), "");
  EXPECT_FALSE(chart.contains("intervals"));
}

TEST(Pages, ASweepShowsWhatRanksOfTheFastestPointDo) {
  Sweep sweep;
  sweep.points = {{.grid_rows = 4, .grid_columns = 2, .values = {}, .result = sample_result(), .error = {}}};
  const Timeline timeline = *with_timeline(sample_result()).timeline;
  const auto ids_of = [](const std::string& page) {
    std::vector<std::string> ids;
    for (const nlohmann::json& chart : data_of(page)) ids.push_back(chart["id"]);
    return ids;
  };
  EXPECT_EQ(ids_of(sweep_to_page(sweep, {timeline, {}})),
            (std::vector<std::string>{"chart-sweep", "chart-layers", "chart-timeline", "chart-memory"}));
  const std::string without = sweep_to_page(sweep, {{}, "since " + kHostile});
  EXPECT_EQ(ids_of(without), (std::vector<std::string>{"chart-sweep", "chart-layers", "chart-memory"}));
  EXPECT_NE(without.find("not known here: since " + escaped(kHostile)), std::string::npos);
}

TEST(Pages, ASweepsPageHasAnEnd) {
  Sweep sweep;
  Result result = sample_result();
  result.replicas = ReplicasResult{1, 0.01, {0.079, 0.080, 0.082}};
  for (int i = 0; i < 3000; ++i) {
    sweep.points.push_back({.grid_rows = 1, .grid_columns = i + 1, .values = {}, .result = result, .error = {}});
    sweep.points.back().result->iteration_s = 0.080 + i;
  }
  for (int i = 0; i < 3000; ++i)
    sweep.points.push_back(
        {.grid_rows = 2, .grid_columns = i + 1, .values = {}, .result = {}, .error = "too " + std::to_string(i)});
  const std::string page = sweep_to_page(sweep, {});
  const nlohmann::json chart = data_of(page)[0];
  EXPECT_EQ(chart["labels"].size(), 100U);
  EXPECT_EQ(chart["intervals"].size(), 100U);
  for (const char* there : {">1 x 1000<", "The 1 000 fastest of 3 000 points", "too 999", "And 2 000 other reasons"})
    EXPECT_NE(page.find(there), std::string::npos) << there;
  for (const char* gone : {">1 x 1001<", "too 1000"}) EXPECT_EQ(page.find(gone), std::string::npos) << gone;
  EXPECT_NE(sweep_to_text(sweep).find("1 x 3000"), std::string::npos);
}

TEST(Csv, ARowForEachPhase) {
  Result result = with_phases(sample_result());
  result.layers[0].name = "a,\"\n";
  const std::string text = to_csv(result);
  EXPECT_TRUE(text.starts_with("layer,kind,grid_rows,grid_columns,strips,phase,mean_s,"));
  EXPECT_EQ(count(text, "\n"), 1U + 5U + 6U);  // header, rows of a (no dX) and b; none of the name's own
  const std::string row =
      "\n\"a,\"\" \",\"convolution 3x3, 3 -> 8\",4,2,1,reduce_weights,0.006,0.003,0.012,0.006,0.0057,0.0063,";
  EXPECT_NE(text.find(row), std::string::npos) << text;
  EXPECT_NE(text.find(",0.006,0.001,rabenseifner,2,1048576,"), std::string::npos) << text;
  EXPECT_NE(text.find("b,linear 128 -> 10,4,2,1,update,0.001,0.00075,0.0015,"), std::string::npos) << text;
}

std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\033')
      i = text.find('m', i);
    else
      plain += text[i];
  return plain;
}

TEST(Color, IsTheSameTextWithoutIt) {
  Result result = sample_result();
  result.memory.host = 1;
  const std::string text = to_text(result), color = in_color(text);
  EXPECT_EQ(without_escapes(color), text);
  EXPECT_NE(color.find("\033[1mLayers (ms per iteration, mean over ranks)\033[0m\n"), std::string::npos);
  EXPECT_NE(color.find("\033[33m  WARNING: does not fit"), std::string::npos);
  EXPECT_NE(color.find("\033[36m█"), std::string::npos);
  EXPECT_NE(color.find("\033[35m█"), std::string::npos);
  EXPECT_EQ(in_color("Bold\n\n  plain\n  WARNING: one\n           two\n  plain\n"),
            "\033[1mBold\033[0m\n\n  plain\n\033[33m  WARNING: one\033[0m\n\033[33m           two\033[0m\n  plain\n");
}

}  // namespace
}  // namespace simtrain
