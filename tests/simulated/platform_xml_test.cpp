// Platform files: which become topologies of ours, and that each wrong one is one clear message, never an abort, while
// SimGrid prints nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <simgrid/s4u.hpp>
#include <sstream>

#include "base/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/platform/xml.hpp"
#include "tests/simulated/in_child.hpp"
#include "tests/support/values_in_child.hpp"

namespace simtrain {
namespace {

const std::string kHead =
    "<?xml version=\"1.0\"?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n";
const std::string kTorus =  // line 4 to 9
    "<zone id=\"w\" routing=\"Full\">\n"
    "<cluster id=\"t\" prefix=\"node-\" suffix=\"\" radical=\"0-11\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"\n"
    " loopback_bw=\"20GBps\" loopback_lat=\"100ns\" topology=\"TORUS\" topo_parameters=\"2,3,2\"\n"
    " sharing_policy=\"SPLITDUPLEX\"><prop id=\"memory\" value=\"64GiB\"/></cluster>\n"
    "</zone>\n"
    "</platform>\n";

std::string full_zone(const std::string& content) {
  return kHead + "<zone id=\"w\" routing=\"Full\">" + content + "</zone>\n</platform>\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class PlatformXml : public ::testing::Test {
 protected:
  ~PlatformXml() override { std::remove(file_.c_str()); }

  void write(const std::string& text) { std::ofstream(file_) << text; }

  // What summarise_platform() says about a file of this text; the same must come out of a Simulation.
  std::string refusal(const std::string& text) {
    write(text);
    std::string message;
    try {
      summarise_platform(file_);
    } catch (const InputError& error) {
      message = error.what();
    }
    in_child([&] {
      try {
        const Simulation simulation(file_, {.ranks = 1});
        ADD_FAILURE() << "was accepted";
      } catch (const InputError& error) {
        EXPECT_EQ(error.what(), message);
      }
    });
    EXPECT_TRUE(message.starts_with("platform '" + file_ + "'")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }

  void expect_refusal(const std::string& text, const std::vector<std::string>& parts) {
    const std::string message = refusal(text);
    for (const std::string& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
  }

  std::string file_ = ::testing::TempDir() + "platform_" + std::to_string(::getpid()) + ".xml";
};

TEST_F(PlatformXml, GoodFileIsAccepted) {
  write(kHead + kTorus);
  const PlatformSummary summary = summarise_platform(file_);
  EXPECT_EQ(summary.hosts, 12);
  EXPECT_EQ(summary.description, "12 hosts");
}

TEST_F(PlatformXml, MalformedNamesTheLine) {
  expect_refusal("", {"line 1:", "no element found"});
  expect_refusal(kHead + "<zone id=\"w\" routing=\"Full\">\n", {"line 5:", "no element found"});  // truncated
  expect_refusal((kHead + kTorus).substr(0, 250), {"line 5:", "unclosed token"});
  expect_refusal(kHead + "<zone id=\"w\" routing=\"Full\">\n</zon>\n</platform>\n", {"line 5:", "mismatched tag"});
}

TEST_F(PlatformXml, OtherDocumentsAndVersionsNameTheLine) {
  expect_refusal("<?xml version=\"1.0\"?>\n<network/>\n", {"line 2:", "<network>", "<platform version=\"4.1\">"});
  expect_refusal(replaced(kHead, "4.1", "3") + kTorus, {"line 3:", "version '3'", "4 or 4.1"});
  expect_refusal(replaced(kHead, "4.1", "5") + kTorus, {"line 3:", "version '5'"});
  expect_refusal("<platform version=\"4.1\">\n" + kTorus, {"line 1:", "<!DOCTYPE platform"});
}

TEST_F(PlatformXml, WhatTheDocumentTypeForbidsNamesTheLine) {
  expect_refusal(kHead + replaced(kTorus, "speed=", "spede="), {"line 5:", "spede", "cluster"});
  expect_refusal(kHead + replaced(replaced(kTorus, "<cluster", "<clutter"), "</cluster", "</clutter"), {"line 5:"});
  expect_refusal(kHead + replaced(kTorus, "TORUS", "RING"), {"line 6:", "topology"});
  expect_refusal(kHead + replaced(kTorus, "lat=\"1us\"", ""), {"line 7:"});
  expect_refusal(kHead + replaced(kTorus, "radical=\"0-11\"", "radical=\"zero\""), {"platform"});
  expect_refusal(kHead + replaced(kTorus, "<cluster", "<cluster core=\"many\""), {"platform"});
}

TEST_F(PlatformXml, UnitsThatAreMissingOrWrongNameTheAttribute) {
  for (const char* wrong : {"1G", "fast", "1", "6 GB", "6GB", "1GBps,2", ""})
    expect_refusal(kHead + replaced(kTorus, "\"1GBps\"", "\"" + std::string(wrong) + "\""),
                   {"line 5: attribute 'bw' of <cluster> is '" + std::string(wrong) + "'", "6GBps"});
  for (const char* wrong : {"1", "1 parsec", "us", "1GBps"})
    expect_refusal(kHead + replaced(kTorus, "\"1us\"", "\"" + std::string(wrong) + "\""),
                   {"line 5: attribute 'lat' of <cluster> is '" + std::string(wrong) + "'", "2us"});
  expect_refusal(kHead + replaced(kTorus, "\"1Gf\"", "\"1GHz\""), {"line 5: attribute 'speed'", "1Gf"});
  for (const char* many : {"0-99999999", "0-9,10-1048576"})
    expect_refusal(kHead + replaced(kTorus, "radical=\"0-11\"", "radical=\"" + std::string(many) + "\""),
                   {"line 5: attribute 'radical'", "at most 1048576 hosts"});
}

TEST_F(PlatformXml, WhatSimGridAbortsOnIsRefusedWithItsReason) {
  expect_refusal(kHead + replaced(kTorus, "2,3,2", "2,3,3"),
                 {"line 5: SimGrid refuses it: ", "Insufficient number of radicals"});
  expect_refusal(kHead + replaced(kTorus, "2,3,2", "2,3,0"), {"incorrect dimensions"});
  expect_refusal(kHead + replaced(kTorus, "2,3,2", "2,three"), {"line 5:"});
  expect_refusal(kHead + replaced(kTorus, "\"1GBps\"", "\"0GBps\""), {"line 5:", "incorrect bandwidth"});
  expect_refusal(kHead + replaced(kTorus, "\"1GBps\"", "\"-1GBps\""), {"line 5:", "incorrect bandwidth"});
  expect_refusal(kHead + replaced(kTorus, "\"1us\"", "\"-1us\""), {"line 5:", "incorrect latency"});
  const std::string tree = replaced(kTorus, "TORUS", "FAT_TREE");
  expect_refusal(kHead + replaced(tree, "2,3,2", "2;4,3;1,2"), {"line "});
  expect_refusal(kHead + replaced(tree, "2,3,2", "2;4;1,2;1,1"), {"line "});
  expect_refusal(kHead + replaced(tree, "2,3,2", "2;4,4;1,2;1,1"), {"line "});
  expect_refusal(kHead + replaced(tree, "2,3,2", "2;4,3;1,0;1,1"), {"line 5:"});
  expect_refusal(kHead + replaced(replaced(kTorus, "TORUS", "DRAGONFLY"), "2,3,2", "2,1"), {"line "});
  expect_refusal(full_zone("<host id=\"a\" speed=\"1Gf\"/><host id=\"a\" speed=\"1Gf\"/>"),
                 {"line 4:", "second host named 'a'"});
  expect_refusal(kHead + replaced(kTorus, "Full", "Ring"), {"line 4: routing 'Ring' is not known", "Full, Floyd"});
}

TEST_F(PlatformXml, MissingHostsRoutesAndLinksAreRefused) {
  const std::string two_hosts = "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>";
  expect_refusal(kHead + "</platform>\n", {"has no host"});
  expect_refusal(full_zone(""), {"has no host"});
  expect_refusal(full_zone(two_hosts), {"no route leads from host 'a' to host 'b'"});
  expect_refusal(full_zone(two_hosts + "<route src=\"a\" dst=\"b\"><link_ctn id=\"x\"/></route>"),
                 {"line 4:", "Link not found: x"});
}

TEST_F(PlatformXml, MemoryWithoutAUnitIsRefused) {
  expect_refusal(kHead + replaced(kTorus, "64GiB", "64"), {"host 'node-0'", "property 'memory'", "'64'"});
}

TEST_F(PlatformXml, RanksShareAHostOnlyWithALoopback) {
  write(kHead + replaced(kTorus, "loopback_bw=\"20GBps\" loopback_lat=\"100ns\"", ""));
  in_child([&] {
    Simulation simulation(file_, {.ranks = 2});
    try {
      simulation.run({3, 3}, [](int) {});
      ADD_FAILURE() << "was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("host 'node-3' has no loopback"), std::string::npos) << error.what();
    }
  });
}

// Latencies of all routes, by SimGrid's own zones and by what load_platform() makes of the file.
std::vector<double> all_latencies(const std::function<LoadedPlatform(simgrid::s4u::Engine&)>& load) {
  return values_in_child([&] {
    simgrid::s4u::Engine& engine = *start_engine().release();  // the child ends without destructors
    const LoadedPlatform platform = load(engine);
    std::vector<double> latencies;
    for (const simgrid::s4u::Host* from : platform.hosts)
      for (const simgrid::s4u::Host* to : platform.hosts) {
        std::vector<simgrid::s4u::Link*> links;
        from->route_to(to, links, nullptr);
        double latency_s = 0;
        for (const simgrid::s4u::Link* link : links) latency_s += link->get_latency();
        latencies.push_back(latency_s);
      }
    return latencies;
  });
}

// Description, hosts and figures as in the file; a topology of ours, or SimGrid's own routes.
struct Seen {
  bool ours = false;
  std::size_t links = 0;
  std::string hosts, description;
  double memory_bytes = 0;
  int cores = 0;
};
Seen look(const std::string& file) {
  const ChildOutcome outcome = run_in_child([&] {
    const Simulation simulation(file, {.ranks = 1});
    const LoadedPlatform& platform = simulation.platform();
    return std::to_string(platform.topology != nullptr) + ' ' + std::to_string(platform.links.size()) + ' ' +
           platform.hosts.front()->get_name() + ".." + platform.hosts.back()->get_name() + ' ' +
           std::to_string(platform.host_memory_bytes.value_or(0)) + ' ' +
           std::to_string(platform.hosts.back()->get_core_count()) + ' ' + platform.description;
  });
  EXPECT_EQ(outcome.errors, "");
  Seen seen;
  std::istringstream text(outcome.answer);
  text >> seen.ours >> seen.links >> seen.hosts >> seen.memory_bytes >> seen.cores >> std::ws;
  std::getline(text, seen.description);
  return seen;
}

TEST_F(PlatformXml, OneClusterBecomesATopologyOfOurs) {
  const std::string tree = replaced(replaced(kTorus, "TORUS", "FAT_TREE"), "2,3,2", "2;4,3;1,2;1,3");
  const std::string flat = replaced(kTorus, "topology=\"TORUS\" topo_parameters=\"2,3,2\"", "topology=\"FLAT\"");
  const std::string backbone = replaced(flat, "topology", "bb_bw=\"2GBps\" bb_lat=\"3us\" topology");
  struct Case {
    std::string cluster;
    std::size_t links;
  };
  for (const auto& [cluster, links] :
       std::vector<Case>{{kTorus, 2 * 3 * 12}, {tree, 2 * (12 + 3 * 2 * 3)}, {flat, 2 * 12}, {backbone, 2 * 12 + 1}}) {
    write(kHead + replaced(cluster, "speed=", "core=\"6\" speed="));
    const Seen seen = look(file_);
    EXPECT_TRUE(seen.ours) << cluster;
    EXPECT_EQ(seen.links, links) << cluster;
    EXPECT_EQ(seen.hosts, "node-0..node-11");
    EXPECT_EQ(seen.memory_bytes, 64.0 * (1 << 30));
    EXPECT_EQ(seen.cores, 6);
    EXPECT_EQ(seen.description, "12 hosts");
    const std::vector<double> theirs =
        all_latencies([&](auto& engine) { return load_platform_xml(engine, file_, file_); });
    const std::vector<double> ours = all_latencies([&](auto& engine) { return load_platform(engine, file_); });
    ASSERT_EQ(ours.size(), 144U);
    ASSERT_EQ(theirs.size(), 144U);
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-15) << i << cluster;
  }
}

TEST_F(PlatformXml, ClustersThatAreNoneOfOursStaySimGrids) {
  const std::string tree = replaced(kTorus, "TORUS", "FAT_TREE");
  for (const std::string& text :
       {replaced(kTorus, "SPLITDUPLEX", "SHARED"), replaced(kTorus, "speed=", "limiter_link=\"1GBps\" speed="),
        replaced(kTorus, "speed=\"1Gf\"", "speed=\"1Gf,2Gf\""), replaced(tree, "2,3,2", "2;4,3;2,2;1,1"),
        replaced(tree, "2,3,2", "2;4,3;1,2;2,1"),
        replaced(replaced(kTorus, "TORUS", "DRAGONFLY"), "2,3,2", "2,1;1,1;2,1;3"),
        replaced(kTorus, "</cluster>", "</cluster><link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>"),
        replaced(kTorus, "radical=\"0-11\"", "radical=\"6-11,0-5\"")}) {
    write(kHead + text);
    EXPECT_FALSE(look(file_).ours) << text;
  }
}

TEST_F(PlatformXml, HostNumbersMayHaveGapsAndZonesADescription) {
  write(kHead + replaced(replaced(kTorus, "0-11", "1-4,8,10-16"), "<cluster",
                         "<prop id=\"description\" value=\"my torus\"/><cluster"));
  const Seen seen = look(file_);
  EXPECT_TRUE(seen.ours);
  EXPECT_EQ(seen.hosts, "node-1..node-16");
  EXPECT_EQ(seen.description, "my torus");
}

TEST_F(PlatformXml, ShippedFilesAreTopologies) {
  EXPECT_TRUE(look("torus.xml").ours);
  EXPECT_EQ(look("fat-tree.xml").links, 4U * 288);
  EXPECT_EQ(look("ethernet.xml").links, 2U * (256 + 8));
}

// Two leaf switches of three hosts.
const std::string kLeaves =
    "<zone id=\"w\" routing=\"Floyd\"><prop id=\"description\" value=\"leaves\"/>\n"
    "<cluster id=\"a\" prefix=\"n\" suffix=\"\" radical=\"0-2\" speed=\"1Gf\" bw=\"1GBps\" lat=\"5us\" "
    "loopback_bw=\"20GBps\" loopback_lat=\"100ns\" "
    "router_id=\"ra\"/>\n"
    "<cluster id=\"b\" prefix=\"n\" suffix=\"\" radical=\"3-5\" speed=\"1Gf\" bw=\"1GBps\" lat=\"5us\" "
    "loopback_bw=\"20GBps\" loopback_lat=\"100ns\" "
    "router_id=\"rb\"/>\n"
    "<zone id=\"core\" routing=\"None\"><router id=\"r\"/></zone>\n"
    "<link id=\"ua\" bandwidth=\"2GBps\" latency=\"3us\" sharing_policy=\"SPLITDUPLEX\"/>\n"
    "<link id=\"ub\" bandwidth=\"2GBps\" latency=\"3us\" sharing_policy=\"SPLITDUPLEX\"/>\n"
    "<zoneRoute src=\"a\" dst=\"core\" gw_src=\"ra\" gw_dst=\"r\"><link_ctn id=\"ua\" direction=\"UP\"/></zoneRoute>\n"
    "<zoneRoute src=\"b\" dst=\"core\" gw_src=\"rb\" gw_dst=\"r\"><link_ctn id=\"ub\" direction=\"UP\"/></zoneRoute>\n"
    "</zone>\n</platform>\n";

TEST_F(PlatformXml, ClustersAroundASwitchAreLeafSwitches) {
  write(kHead + kLeaves);
  const Seen seen = look(file_);
  EXPECT_TRUE(seen.ours);
  EXPECT_EQ(seen.links, 2U * 6 + 2 * 2);
  EXPECT_EQ(seen.hosts, "n0..n5");
  EXPECT_EQ(seen.description, "leaves");
  const std::vector<double> theirs =
      all_latencies([&](auto& engine) { return load_platform_xml(engine, file_, file_); });
  const std::vector<double> ours = all_latencies([&](auto& engine) { return load_platform(engine, file_); });
  ASSERT_EQ(ours.size(), 36U);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-15) << i;
  EXPECT_NEAR(ours[5], 16e-6, 1e-12);  // from the first host to the last: 5 + 3 + 3 + 5
}

TEST_F(PlatformXml, ClustersThatAreNotAlikeStaySimGrids) {
  for (const std::string& text : {replaced(kLeaves, "radical=\"3-5\"", "radical=\"3-6\""),  // another size
                                  replaced(kLeaves, "radical=\"0-2\"", "radical=\"6-8\""),  // numbers that fall
                                  replaced(kLeaves, "5us", "6us"), replaced(kLeaves, "2GBps", "4GBps"),
                                  replaced(kLeaves, "3us", "4us"),  // one uplink differs
                                  replaced(kLeaves, "bw=\"1GBps\"", "bb_bw=\"1GBps\" bb_lat=\"1us\" bw=\"1GBps\"")}) {
    write(kHead + text);
    EXPECT_FALSE(look(file_).ours) << text;
  }
}

TEST_F(PlatformXml, ShippedFilesAreFoundByName) {
  EXPECT_EQ(summarise_platform("torus.xml").hosts, 256);
  EXPECT_EQ(summarise_platform("fat-tree").hosts, 288);
  EXPECT_EQ(summarise_platform("ethernet.xml").hosts, 256);
}

TEST_F(PlatformXml, UnknownNamesGetTheNearest) {
  try {
    summarise_platform("trous.xml");
    ADD_FAILURE() << "was accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("platform 'trous.xml' is not known; did you mean 'torus'")) << text;
  }
}

TEST(NaturalOrder, ComparesNumbersInNames) {
  EXPECT_TRUE(natural_less("node-2", "node-10"));
  EXPECT_FALSE(natural_less("node-10", "node-2"));
  EXPECT_TRUE(natural_less("rack-1-node-20", "rack-2-node-3"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_TRUE(natural_less("a9.site", "a10.site"));
  EXPECT_TRUE(natural_less("a99999999999999999999999", "a100000000000000000000000"));
  EXPECT_TRUE(natural_less("a01", "a1"));  // equal numbers: as text
  EXPECT_FALSE(natural_less("a1", "a01"));
  EXPECT_FALSE(natural_less("a1", "a1"));
}

}  // namespace
}  // namespace simtrain
