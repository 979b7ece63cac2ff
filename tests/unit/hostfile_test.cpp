// Hostfiles: what is read, and what is refused with file and line.
#include "sim/placement/hostfile.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace simtrain {
namespace {

std::string refusal(const std::string& text) {
  try {
    (void)slots_of(parse_hostfile("h", text), "torus:4", {"host-0", "host-1", "host-2", "host-3"}, 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_refusal(const std::string& text, const std::vector<std::string>& parts) {
  const std::string message = refusal(text);
  EXPECT_TRUE(message.starts_with("hostfile 'h'")) << message;
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

TEST(Hostfile, OrderSlotsAndComments) {
  const Hostfile file = parse_hostfile("h", "# rack 3\n\n  host-3 slots=2\r\nhost-1:3# three\nhost-0\n");
  ASSERT_EQ(file.lines.size(), 3U);
  EXPECT_EQ(file.lines[0].host, "host-3");
  EXPECT_EQ(file.lines[0].number, 3);
  EXPECT_EQ(file.lines[1].slots, 3);
  EXPECT_EQ(file.lines[2].slots, std::nullopt);
  EXPECT_EQ(slots_of(file, "p", {"host-0", "host-1", "host-2", "host-3"}, 2), (std::vector<int>{3, 3, 1, 1, 1, 0, 0}));
}

TEST(Hostfile, WrongLinesAreRefusedByNumber) {
  expect_refusal("host-0\nhots-3\n", {"line 2", "'hots-3'", "torus:4", "did you mean 'host-3'"});
  expect_refusal("host-0\n\nhost-0 slots=2\n", {"line 3", "'host-0'", "line 1 already"});
  expect_refusal("host-0 slots=0\n", {"line 1", "slots", "'0'"});
  expect_refusal("host-0 slots=two\n", {"line 1", "'two'"});
  expect_refusal("host-0 slots=\n", {"line 1", "slots"});
  expect_refusal("host-0:-1\n", {"line 1", "'-1'"});
  expect_refusal("host-0:\n", {"line 1", "slots"});
  expect_refusal("host-0:2 slots=2\n", {"line 1", "given twice"});
  expect_refusal("host-0 max_slots=2\n", {"line 1", "'max_slots=2'", "slots=N"});
  expect_refusal("host-0 2\n", {"line 1", "'2'"});
  expect_refusal("slots=2\n", {"line 1", "'slots=2'"});
  expect_refusal(":2\n", {"line 1", "no host"});
  expect_refusal("host-0 slots=99999999999\n", {"line 1", "99999999999"});
}

TEST(Hostfile, OneWithoutHostsIsRefused) {
  expect_refusal("", {"names no host"});
  expect_refusal("# nothing\n\n", {"names no host"});
}

}  // namespace
}  // namespace simtrain
