// Does the terminal report say what the result holds? Expected figures: tests/support/sample_result.hpp.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "report/sections.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "tests/support/report_text.hpp"
#include "tests/support/sample_result.hpp"

namespace simtrain {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The words of the first line that starts (after blanks) with `start`, those of `start` left out.
Words after(const std::string& text, const std::string& start) {
  std::istringstream stream(text);
  const Words first = words_of(start);
  for (std::string line; std::getline(stream, line);) {
    Words words = words_of(line);
    if (words.size() < first.size() || !std::equal(first.begin(), first.end(), words.begin())) continue;
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first.size()));
    return words;
  }
  return {"no line starts with", start};
}

// The text with every run of blanks and line breaks as one blank: sentences are wrapped.
std::string unwrapped(const std::string& text) {
  std::string joined;
  for (const std::string& word : words_of(text)) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

bool says(const std::string& text, const std::string& what) { return unwrapped(text).find(what) != std::string::npos; }

void expect_narrow(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    EXPECT_LE(text_width(line), 100U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
  }
}

TEST(Result, TotalsAreThoseWorkedOutByHand) {
  const Result result = sample_result();
  EXPECT_DOUBLE_EQ(result.epoch_s(), 8.0);  // 6400 / 64 iterations of 80 ms
  EXPECT_DOUBLE_EQ(result.images_per_s(), 800);
  EXPECT_DOUBLE_EQ(result.compute_s(), 0.048);
  EXPECT_DOUBLE_EQ(result.communication_s(), 0.022);
  EXPECT_DOUBLE_EQ(result.reduction_s(), 0.0035);
  EXPECT_DOUBLE_EQ(result.alpha_beta_s(), 0.0165);
  EXPECT_DOUBLE_EQ(result.paper_s(), 0.0174);
  EXPECT_DOUBLE_EQ(result.extrapolated_s(), 0.0024);
  EXPECT_DOUBLE_EQ(result.bytes_sent(), 7.5 * kMiB);
  EXPECT_DOUBLE_EQ(result.memory.total(), 20 * kMiB);
  EXPECT_EQ(Result{}.images_per_s(), 0);  // not infinite
  EXPECT_EQ(Result{}.epoch_s(), 0);
}

// Place p/100*(n-1) of the numbers in order: of five, 5 % is at 0.2 and 95 % at 3.8.
TEST(Result, DistributionInterpolatesBetweenNeighbours) {
  const Distribution five = distribution_of({50, 10, 30, 20, 40});
  EXPECT_DOUBLE_EQ(five.min, 10);
  EXPECT_DOUBLE_EQ(five.p5, 12);
  EXPECT_DOUBLE_EQ(five.median, 30);
  EXPECT_DOUBLE_EQ(five.p95, 48);
  EXPECT_DOUBLE_EQ(five.max, 50);
  EXPECT_DOUBLE_EQ(distribution_of({1, 2}).median, 1.5);
  for (const double one : {distribution_of({7}).p5, distribution_of({7}).median, distribution_of({7}).p95})
    EXPECT_EQ(one, 7);
  EXPECT_EQ(distribution_of({}).max, 0);
}

TEST(Report, SaysWhatWasSimulated) {
  const std::string text = to_text(sample_result());
  EXPECT_TRUE(says(text, "network tiny, batch 64"));
  EXPECT_TRUE(says(text, "grid Pr x Pc = 4 x 2: 4-way tensor parallel, 2-way data parallel (8 ranks)"));
  EXPECT_TRUE(says(text, "platform torus.xml: 3-D torus 2x2x2, 8 hosts"));
  EXPECT_TRUE(says(text, "collectives auto"));
  EXPECT_TRUE(says(text, "numerics phantom, dropout yes"));
}

TEST(Report, ShowsSecondsPerIterationAndEpoch) {
  const std::string text = to_text(sample_result());
  EXPECT_TRUE(
      says(text,
           "iteration 80.0 ms (mean of 2; median 80.0 ms, 90 % from 79.1 ms to 80.9 ms, all from 79.0 ms to 81.0 ms)"));
  EXPECT_TRUE(says(text, "epoch 8.00 s (6 400 images = 100.0 iterations)"));
  EXPECT_TRUE(says(text, "throughput 800 images/s"));
  EXPECT_TRUE(says(text, "Layers (ms per iteration, mean over ranks)"));
}

TEST(Report, LayerTableHasEveryPhaseAndATotal) {
  const std::string text = to_text(sample_result());
  EXPECT_EQ(after(text, "a"), (Words{"10.000", "20.000", "2.000", "32.000", "4.000", "-", "6.000", "4.00", "MiB"}));
  EXPECT_EQ(after(text, "b"), (Words{"5.000", "10.000", "1.000", "16.000", "2.000", "8.000", "2.000", "3.50", "MiB"}));
  EXPECT_EQ(after(text, "total"),
            (Words{"15.000", "30.000", "3.000", "48.000", "6.000", "8.000", "8.000", "7.50", "MiB"}));
  EXPECT_TRUE(says(text, "Most time: a (60.0 %), b (40.0 %)."));  // 42 and 28 of 70 ms
  EXPECT_TRUE(says(text, "slowest rank computes 1.50 times the mean, fastest 0.75 times; busiest sender sends 1.10"));
}

TEST(Report, ShowsGridsOfLayersAndRedistribution) {
  const std::string text = to_text(with_redistribution(sample_result()));
  EXPECT_EQ(after(text, "layers"), words_of("4 x 2: a; 2 x 4: b"));
  EXPECT_EQ(after(text, "b").at(7), "5.000");  // after the three compute phases, their sum and three collectives
  EXPECT_EQ(after(text, "a").at(7), "-");
  EXPECT_EQ(after(text, "total").at(7), "5.000");
  EXPECT_EQ(after(text, "redistribute"), words_of("point-to-point 8 5.000 4.000 1.25 - -"));
  EXPECT_TRUE(says(text, "strategy b:2x4"));
  expect_narrow(text);
  EXPECT_EQ(to_text(sample_result()).find("redis"), std::string::npos);
}

TEST(Report, ShowsStripsAndHalos) {
  const std::string text = to_text(with_halo(sample_result()));
  EXPECT_EQ(after(text, "layers"), words_of("2 strips x 4: a; 4 x 2: b"));
  EXPECT_EQ(after(text, "a").at(7), "2.000");  // after the three compute phases, their sum and three collectives
  EXPECT_EQ(after(text, "b").at(7), "-");
  EXPECT_EQ(after(text, "total").at(7), "2.000");
  EXPECT_EQ(after(text, "halo point-to-point"), words_of("2 2.000 1.000 2.00 3.000 0.67"));
  EXPECT_TRUE(says(text, "formula (9): Gholami et al."));
  EXPECT_EQ(text.find("formula (8)"), std::string::npos);
  expect_narrow(text);
  EXPECT_EQ(to_text(sample_result()).find("halo"), std::string::npos);
}

TEST(Report, ShowsLayersSplitByColumns) {
  const std::string text = to_text(with_columns(sample_result()));
  EXPECT_EQ(after(text, "layers"), words_of("4 x 2: a; 4 x 2 by columns: b"));
  EXPECT_EQ(after(text, "b"), words_of("5.000 10.000 1.000 16.000 - - 2.000 3.000 2.50 MiB"));
  EXPECT_EQ(after(text, "a").at(7), "-");
  EXPECT_EQ(after(text, "total").at(7), "3.000");
  EXPECT_EQ(after(text, "all-reduce Y"), words_of("ring 4 3.000 2.500 1.20 2.000 1.50"));
  EXPECT_EQ(after(text, "of it adding").at(0), "2.50");  // 1 of a, 0.5 of b's dW, 1 of its Y
  EXPECT_TRUE(says(text, "Layers split by columns, which the paper has not"));
  expect_narrow(text);
  EXPECT_EQ(to_text(sample_result()).find("columns,"), std::string::npos);
  EXPECT_EQ(to_text(sample_result()).find("all-reduce Y"), std::string::npos);
}

// However many exchanges there are, layers keep their names.
TEST(Report, NamesLayersBesideManyColumns) {
  Result result = with_columns(with_redistribution(sample_result()));
  result.layers[0].name = "conv10";
  for (const bool overlaps : {false, true}) {
    if (overlaps) result.job.overlap = "gradients";
    const std::string text = to_text(result);
    EXPECT_EQ(after(text, "conv10").front(), "10.000") << text;
    expect_narrow(text);
  }
}

TEST(Report, SharesAddUpToTheIteration) {
  const std::string text = to_text(sample_result());
  const Words compute = after(text.substr(text.find("Where the time goes")), "compute");
  EXPECT_EQ(Words(compute.begin(), compute.begin() + 4), (Words{"48.0", "ms", "60.0", "%"}));
  EXPECT_EQ(text_width(compute.at(4)), 24U);  // 60 % of a bar of 40
  const Words communication = after(text, "communication 22.0");
  EXPECT_EQ(Words(communication.begin(), communication.begin() + 3), (Words{"ms", "27.5", "%"}));
  EXPECT_EQ(after(text, "of it adding"), (Words{"3.50", "ms", "15.9", "%", "of", "communication"}));  // 3.5 / 22
  const Words neither = after(text, "neither");
  EXPECT_EQ(Words(neither.begin(), neither.begin() + 4), (Words{"10.0", "ms", "12.5", "%"}));  // 80 - 48 - 22
}

TEST(Report, PutsFormulasBesideTheSimulation) {
  const std::string text = to_text(sample_result());
  EXPECT_EQ(after(text, "all-gather Y"), (Words{"ring", "4", "6.000", "4.500", "1.33", "3.000", "2.00"}));
  EXPECT_EQ(after(text, "all-reduce dX"), (Words{"ring", "4", "8.000", "6.000", "1.33", "7.000", "1.14"}));
  EXPECT_EQ(after(text, "all-reduce dW"),
            (Words{"rabenseifner,", "bruck", "2", "8.000", "6.000", "1.33", "7.400", "1.08"}));
  const std::string section = text.substr(text.find("Communication beside the formulas (ms"));
  EXPECT_EQ(after(section, "total"), (Words{"22.000", "16.500", "1.33", "17.400", "1.26"}));
  EXPECT_TRUE(says(text, "takes 5.50 ms (33.3 %) longer than alpha-beta: messages share links"));
  EXPECT_TRUE(says(text, "alpha = 2.00 µs, 1/beta = 6.00 GB/s (mean route latency)"));
  EXPECT_TRUE(says(text, "5 000 messages, 7.50 MiB sent per rank"));
}

TEST(Report, SentenceFollowsTheDifference) {
  const auto with_alpha_beta = [](double factor) {
    Result result = sample_result();
    for (LayerResult& layer : result.layers)
      for (CollectiveResult* collective : {&layer.all_gather, &layer.reduce_data, &layer.reduce_weights})
        collective->alpha_beta_s = factor * collective->seconds.mean;
    return to_text(result);
  };
  EXPECT_TRUE(says(with_alpha_beta(1.01), "agrees with alpha-beta within 2 %"));
  EXPECT_TRUE(says(with_alpha_beta(2), "takes 22.0 ms (50.0 %) less than alpha-beta"));
  EXPECT_TRUE(says(with_alpha_beta(0.5), "takes 11.0 ms (100.0 %) longer than alpha-beta"));
}

TEST(Report, ComparesMemoryWithTheHost) {
  Result result = sample_result();
  const std::string fits = to_text(result);
  EXPECT_EQ(after(fits, "1.00 MiB 2.00 MiB"), (Words{"3.00", "MiB", "10.0", "MiB", "4.00", "MiB", "20.0", "MiB"}));
  EXPECT_TRUE(says(fits, "The total is 25.0 % of the host's 80.0 MiB."));
  EXPECT_FALSE(says(fits, "WARNING"));
  result.memory.host = 16 * kMiB;
  EXPECT_TRUE(says(to_text(result), "WARNING: does not fit: a rank needs 20.0 MiB, 125.0 % of the host's 16.0 MiB."));
  result.memory.host.reset();
  EXPECT_TRUE(says(to_text(result), "Host memory unknown"));
}

TEST(Report, NamesTheProfileAndWhatItDoesNotCover) {
  Result result = sample_result();
  std::string text = to_text(result);
  EXPECT_TRUE(says(text, "measured on node-7, 2026-01-31 (measured on another machine)"));
  EXPECT_TRUE(says(text, "5.00 % of the compute time lies outside the measured range: b (15.0 % of its compute)"));
  EXPECT_FALSE(says(text, "WARNING"));

  result.layers[0].extrapolated_s = 0.008;  // a quarter of its 32 ms; with b's 2.4 ms 21.7 % of 48 ms
  result.profile->this_machine = true;
  text = to_text(result);
  EXPECT_TRUE(says(text,
                   "WARNING: 21.7 % of the compute time lies outside the measured range: a (25.0 % of its "
                   "compute), b (15.0 % of its compute)."));
  EXPECT_TRUE(says(text, "(this machine)"));
  EXPECT_FALSE(says(text, "another machine"));
}

TEST(Report, GivesTheIntervalOfReplicas) {
  const std::string text = to_text(with_replicas(sample_result()));
  EXPECT_TRUE(says(text, "iteration 80.0 ms; 90 % of 5 replicas: 76.8 ms to 89.0 ms, median 81.0 ms")) << text;
  EXPECT_TRUE(says(text, "assumed to differ by 1.00 %")) << text;
  expect_narrow(text);
  EXPECT_FALSE(says(to_text(sample_result()), "replica"));
}

TEST(Report, NativeRunsHaveMachineAndLossesInsteadOfFormulas) {
  const std::string text = to_text(sample_native_result());
  EXPECT_TRUE(says(text, "machine node-9, Some CPU"));
  EXPECT_TRUE(says(text, "MPI Open MPI 4.1.4"));
  EXPECT_TRUE(says(text, "BLAS OpenBLAS 0.3.21, 1 thread per rank"));
  EXPECT_TRUE(says(text, "ranks on 2 hosts of 4 cores, 8 ranks bound to a core each"));
  EXPECT_EQ(after(text, "all-reduce dX"), (Words{"ring", "4", "8.000"}));
  for (const char* absent : {"alpha", "formula", "simulated", "Profile", "platform"})
    EXPECT_FALSE(says(text, absent)) << absent;
  EXPECT_EQ(after(text, "1"), Words{"2.500000"});
  EXPECT_EQ(after(text, "3"), Words{"2.125000"});
  EXPECT_EQ(after(text, "8"), Words{"0.500000"});
  EXPECT_FALSE(says(text, "1.750000"));  // the middle is left out
}

TEST(Report, NamesTheNetworkModelAndWhatWasNotMeasured) {
  Result result = sample_result();
  EXPECT_TRUE(says(to_text(result), "linear: latency + bytes / bandwidth of the platform"));
  EXPECT_FALSE(says(to_text(result), "not measured"));
  result.platform->network_model = "calibrated";
  result.platform->network_source = "remote messages up to 1.00 MiB";
  result.platform->network_outside_share = 0.25;
  const std::string text = to_text(result);
  EXPECT_TRUE(says(text, "calibrated: remote messages up to 1.00 MiB"));
  EXPECT_TRUE(says(text, "WARNING: 25.0 % of the messages' time"));
  EXPECT_TRUE(says(text, "messages take what was measured for their size"));
  expect_narrow(text);
}

TEST(Report, IsNeverWiderThan100Characters) {
  Result result = sample_result();
  expect_narrow(to_text(result));
  expect_narrow(to_text(sample_native_result()));

  const std::string lengthy = std::string(70, 'n') + "\x1b µ" + std::string(70, 'm');
  result.layers[0].name = result.platform->name = result.platform->latency_source = result.profile->command = lengthy;
  result.profile->blas = result.job.network = lengthy;
  result.layers[0].forward_s.mean = 123456;
  result.layers[0].all_gather.algorithm = lengthy;
  const std::string text = to_text(result);
  expect_narrow(text);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Report, ARankAloneHasNoCommunication) {
  Result result = sample_result();
  result.job.grid_rows = result.job.grid_columns = 1;
  for (LayerResult& layer : result.layers) layer.all_gather = layer.reduce_data = layer.reduce_weights = {};
  const std::string text = to_text(result);
  EXPECT_FALSE(says(text, "alpha-beta"));
  EXPECT_TRUE(says(text, "(1 rank)"));
  expect_narrow(text);
}

TEST(Report, SaysWhatTheMachineDoes) {
  const std::string text = to_text(with_machine(sample_result()));
  EXPECT_TRUE(says(text, "bandwidth 12.000 15.0 % bytes / bandwidth of the schedule's messages")) << text;
  EXPECT_TRUE(says(text, "contention 5.000 6.2 % links shared with other messages")) << text;
  EXPECT_TRUE(says(text, "Beyond computing, most goes to moving bytes")) << text;
  expect_narrow(text);
  EXPECT_TRUE(says(text, "ranks per host 4"));
  EXPECT_EQ(after(text, "row-major"), (Words{"100.000", "1.25"}));
  EXPECT_TRUE(says(text, "snake no torus"));
  EXPECT_TRUE(says(text, "2 drawn hosts=0.5 (seed 7)"));
  EXPECT_TRUE(says(text, "host-1 at 50.0 %, host-6 at 50.0 %"));
  EXPECT_TRUE(says(text, "1 of 2 slow hosts hold ranks") || says(text, "1 of 2 slow hosts holds ranks"));
  EXPECT_TRUE(says(text, "20.0 ms an iteration: 60.0 ms without slow parts, 80.0 ms with them (33.3 % longer)"));
  EXPECT_TRUE(says(text, "3 x 2 on other hosts: 70.0 ms, 12.5 % less than now"));
  EXPECT_TRUE(says(text, "4 x 1 on other hosts: not possible: too large"));
  EXPECT_TRUE(says(text, "leave the slow hosts out, and run 3 x 2"));
  EXPECT_EQ(after(text, "x+ of (1,0)"), (Words{"2.00", "MiB", "20.0", "%"}));
  EXPECT_TRUE(says(text, "3 of 8 links carry something"));
  EXPECT_TRUE(says(text, "x+ 7.50 % (20.0 %), x- 0.00 % (0.00 %)"));
  EXPECT_TRUE(says(text, "4 ranks of a host need 80.0 MiB, 100.0 % of its 80.0 MiB"));
  EXPECT_FALSE(says(to_text(sample_result()), "Busiest links"));
}

TEST(Report, SaysHowAStrategyWasChosen) {
  const std::string text = to_text(with_search(sample_result()));
  EXPECT_EQ(to_text(sample_result()).find("how it was chosen"), std::string::npos);
  EXPECT_GT(line_with(text, {"strategy auto: uniform"}), 0);
  EXPECT_NE(unwrapped(text).find("Of 28 ways to split 2 layers over 8 ranks"), std::string::npos) << text;
  EXPECT_NE(unwrapped(text).find("2 were simulated"), std::string::npos) << text;
  EXPECT_EQ(after(text, "1 least by the formulas"), (Words{"58.000", "85.000", "1.06"}));
  EXPECT_EQ(after(text, "2 uniform on 4x2"), (Words{"60.000", "80.000", "1.00", "chosen"}));
  EXPECT_EQ(after(text, "3 fc2 on 1x8 instead"), (Words{"62.000", "-", "-"}));
  EXPECT_EQ(after(text, "1 conv1:1x8;"), (Words{"fc2:8x1"}));
  EXPECT_NE(unwrapped(text).find("left out: needs 9.00 GiB"), std::string::npos) << text;
  // By the formulas 60 - 58 ms less, simulated 85 - 80 ms more.
  EXPECT_NE(unwrapped(text).find("1 takes 2.00 ms less than 2, simulated 5.00 ms more"), std::string::npos) << text;
  // 30 + 2 ms; -4 + 6 ms.
  EXPECT_EQ(after(text, "conv1 4x2"),
            (Words{"32.000", "1x8", "*", "2.000", "+6.000", "all-reduce", "dX,", "-4.000", "computing"}));
  EXPECT_EQ(after(text, "fc2 4x2"), (Words{"28.000", "-", "-"}));
  Result least = with_search(sample_result());
  least.strategy_search->chosen = 0;
  EXPECT_EQ(to_text(least).find("simulated 5.00 ms more"), std::string::npos);
}

TEST(Report, AllRanksOfAHostMustFit) {
  Result result = with_machine(sample_result());
  EXPECT_TRUE(fits_host(result.memory));
  result.memory.host = 79 * kMiB;
  EXPECT_FALSE(fits_host(result.memory));
  EXPECT_TRUE(says(to_text(result), "does not fit: 4 ranks of a host need 80.0 MiB"));
}

}  // namespace
}  // namespace simtrain
