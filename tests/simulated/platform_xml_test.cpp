// Platform files that are wrong: each is one clear message, never an abort, and SimGrid prints nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.hpp"
#include "sim/platform/xml.hpp"
#include "sim/simulation.hpp"
#include "tests/simulated/in_child.hpp"

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
  expect_refusal(kHead + replaced(kTorus, "1GBps", "1G"), {"line 7:", "unknown unit: G"});
  expect_refusal(kHead + replaced(kTorus, "1GBps", "fast"), {"line 7:", "fast"});
}

TEST_F(PlatformXml, WhatSimGridAbortsOnIsRefusedWithItsReason) {
  expect_refusal(kHead + replaced(kTorus, "2,3,2", "2,3,3"), {"Insufficient number of radicals"});
  expect_refusal(kHead + replaced(kTorus, "2,3,2", "2,3,0"), {"incorrect dimensions"});
  expect_refusal(full_zone("<host id=\"a\" speed=\"1Gf\"/><host id=\"a\" speed=\"1Gf\"/>"), {"second host named 'a'"});
  expect_refusal(kHead + replaced(kTorus, "Full", "Ring"), {"SimGrid refuses it: Not a valid model"});
}

TEST_F(PlatformXml, MissingHostsRoutesAndLinksAreRefused) {
  const std::string two_hosts = "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>";
  expect_refusal(kHead + "</platform>\n", {"has no host"});
  expect_refusal(full_zone(""), {"has no host"});
  expect_refusal(full_zone(two_hosts), {"no route leads from host 'a' to host 'b'"});
  expect_refusal(full_zone(two_hosts + "<route src=\"a\" dst=\"b\"><link_ctn id=\"x\"/></route>"),
                 {"Link not found: x"});
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
