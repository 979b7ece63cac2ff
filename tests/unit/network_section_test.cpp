// The network section of a profile: what is written is read again, and nothing else is; what is shown; the platform.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "calibrate/network_text.hpp"
#include "calibrate/profile.hpp"
#include "tests/support/network_place.hpp"

namespace simtrain {
namespace {

Profile profile_with(std::optional<NetworkPlace> local, std::optional<NetworkPlace> remote) {
  Profile profile = Profile::fit(Certificate{}, {{{Kernel::update, 100}, {1e-6}, false}});
  profile.set_network({std::move(local), std::move(remote)});
  return profile;
}

TEST(NetworkSection, IsTheSameAfterWritingAndReading) {
  NetworkPlace remote = sample_place();
  remote.latency_s = 20e-6;
  remote.curves[MessageTiming::late_receive] = remote.curves[MessageTiming::one_way_idle];
  const std::string text = profile_with(sample_place(), remote).to_json();
  const Profile after = Profile::from_json("p.json", text);
  EXPECT_EQ(after.to_json(), text);
  EXPECT_EQ(after.samples().size(), 1U) << "kernels stay";
  ASSERT_TRUE(after.network().local && after.network().remote);
  const NetworkPlace& local = *after.network().local;
  EXPECT_EQ(local.certificate.settings, "OMPI_MCA_btl=self,vader");
  EXPECT_EQ(local.certificate.seed, 7U);
  EXPECT_EQ(local.curves.size(), 2U);
  const TimingCurve& curve = local.curves.at(MessageTiming::exchange_idle);
  EXPECT_EQ(curve.segments[1].to, 1 << 20);
  EXPECT_EQ(curve.seconds(1 << 20), 6e-6 + (1 << 20) / 2e9);
  EXPECT_EQ(curve.samples[0].seconds, (std::vector<double>{1e-6, 1.1e-6}));
  EXPECT_TRUE(curve.samples[1].kept_aside);
  EXPECT_EQ(curve.error.percentile95, 0.02);
  EXPECT_EQ(after.network().remote->latency_s, 20e-6);
}

// Others only add to what a message takes, but that is what a loaded timing is about.
TEST(NetworkSection, LoadedTimesAreMeans) {
  NetworkPlace place = sample_place();
  TimingCurve loaded = place.curves.at(MessageTiming::exchange_idle);
  loaded.samples = {{0, {1e-6, 4e-6, 2e-6, 5e-6}, false, true}};
  place.curves[MessageTiming::exchange_loaded] = place.curves[MessageTiming::shift_loaded] = loaded;
  place.curves[MessageTiming::one_way_idle].samples = {{0, {1e-6, 4e-6, 2e-6, 5e-6}, false}};
  const Profile after = Profile::from_json("p.json", profile_with({}, place).to_json());
  const NetworkPlace& remote = *after.network().remote;
  EXPECT_EQ(remote.curves.at(MessageTiming::one_way_idle).samples[0].measured_s(), 1e-6);
  EXPECT_DOUBLE_EQ(remote.curves.at(MessageTiming::shift_loaded).samples[0].measured_s(), 3e-6);
  EXPECT_EQ(&remote.exchange(), &remote.curves.at(MessageTiming::exchange_loaded));
  EXPECT_EQ(remote.shift(), &remote.curves.at(MessageTiming::shift_loaded));
  EXPECT_EQ(sample_place().shift(), nullptr);
  EXPECT_EQ(&remote.exchange_with_same(), &remote.exchange());
  place.curves[MessageTiming::pair_loaded] = loaded;
  EXPECT_EQ(&place.exchange_with_same(), &place.curves.at(MessageTiming::pair_loaded));
  EXPECT_EQ(remote.rotation(), remote.shift());
  place.curves[MessageTiming::rotation_loaded] = loaded;
  EXPECT_EQ(place.rotation(), &place.curves.at(MessageTiming::rotation_loaded));
}

TEST(NetworkSection, MayBeMissing) {
  const std::string text = profile_with({}, {}).to_json();
  EXPECT_EQ(text.find("\"network\""), std::string::npos);
  EXPECT_TRUE(Profile::from_json("p.json", text).network().empty());
}

void expect_refused(const std::string& from, const std::string& to, const std::vector<std::string>& parts) {
  std::string text = profile_with(sample_place(), {}).to_json();
  const auto at = text.find(from, from.find("version") == std::string::npos ? text.find("\"network\"") : 0);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    Profile::from_json("p.json", text);
    FAIL() << "accepted " << to;
  } catch (const InputError& error) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in: " << error.what();
  }
}

TEST(NetworkSection, ReadingIsStrict) {
  expect_refused("\"local\"", "\"lokal\"", {"'network.local'", "is missing"});
  expect_refused("\"local\": {", "\"local\": {\"colour\":1,", {"'network.local.colour'"});
  expect_refused("\"one_way_idle\"", "\"one_way_idl\"", {"one_way_idle", "is missing"});
  expect_refused("\"mpi\": \"", "\"mpi\": 4, \"old\": \"", {"network.local.certificate.mpi"});
  expect_refused("\"from\":1025", "\"from\":1026", {"segments[1].from", "expected 1025"});
  expect_refused("\"to\":1024", "\"to\":-1", {"segments[0].to", "found -1"});
  expect_refused("\"latency_s\":3e-06,\"bandwidth_Bps\":4000000000.0,\"latency_factor\":3.0",
                 "\"latency_s\":-3e-06,\"bandwidth_Bps\":4000000000.0,\"latency_factor\":-3.0",
                 {"segments[1].latency_s", "more than 0 s"});
  expect_refused("\"bandwidth_Bps\":4000000000.0", "\"bandwidth_Bps\":0", {"segments[1].bandwidth_Bps", "found 0"});
  expect_refused("\"latency_factor\":3.0", "\"latency_factor\":4.0",
                 {"segments[1].latency_factor", "3.0", "found 4.0"});
  expect_refused("\"bytes\":1000", "\"bytes\":0", {"samples[1].bytes", "larger"});
  expect_refused("[2e-06]", "[]", {"samples[1].seconds", "at least one"});
  expect_refused("[2e-06]", "[0]", {"samples[1].seconds", "above 0 s", "found 0"});
  expect_refused("\"worst_error\":0.03", "\"worst_error\":-0.03", {"error.worst_error"});
}

TEST(NetworkSection, IsShownAsSegments) {
  EXPECT_EQ(to_text(NetworkSection{}), "");
  const std::string text = to_text(NetworkSection{sample_place(), {}});
  for (const char* part : {"two processes of one node", "Open MPI v4.1.4", "one_way_idle", "exchange_idle", "1.00 KiB",
                           "1.00 MiB", "3.00 µs", "4.00 GB/s", "1.00 %", "2.00 %", "3.00 %"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
}

TEST(NetworkSection, ReferenceIsTheShortestMessageAndTheLongest) {
  NetworkPlace place = sample_place();
  set_reference(place);
  EXPECT_DOUBLE_EQ(place.latency_s, 1e-6);
  EXPECT_NEAR(place.bandwidth_Bps, (1 << 20) / (2e-6 + (1 << 20) / 4e9), 1);
}

TEST(NetworkSection, SimulationsTakeTheTimesAfterComputingWhereThereAreSome) {
  NetworkPlace place = sample_place();
  EXPECT_EQ(&place.one_way(), &place.curves[MessageTiming::one_way_idle]);
  place.curves[MessageTiming::one_way_computing] = place.curves[MessageTiming::one_way_idle];
  EXPECT_EQ(&place.one_way(), &place.curves[MessageTiming::one_way_idle]) << "one alone is no pair";
  place.curves[MessageTiming::exchange_computing] = place.curves[MessageTiming::exchange_idle];
  EXPECT_EQ(&place.one_way(), &place.curves[MessageTiming::one_way_computing]);
  EXPECT_EQ(&place.exchange(), &place.curves[MessageTiming::exchange_computing]);
}

TEST(NetworkPlatform, IsANodeOrACluster) {
  EXPECT_EQ(one_word_platform({sample_place(), {}}, 4), "node:4,bandwidth=4GBps,latency=1000ns");
  EXPECT_EQ(one_word_platform({sample_place(), sample_place()}, 16), "crossbar:16,bandwidth=4GBps,latency=1000ns");
}

}  // namespace
}  // namespace simtrain
