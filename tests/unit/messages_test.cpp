// Are messages in our words, at the right place, and is what they suggest near?
#include <gtest/gtest.h>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "report/csv_field.hpp"

namespace simtrain {
namespace {

using Words = std::vector<std::string>;

TEST(Messages, SuggestWhatIsNear) {
  const Words networks{"alexnet", "lenet", "mlp", "resnet50", "vgg16"};
  EXPECT_EQ(nearest("alexnt", networks), "alexnet");
  EXPECT_EQ(nearest("mpl", networks), "mlp");  // two letters swapped are one slip
  EXPECT_EQ(nearest("resnet", networks), "resnet50");
  EXPECT_EQ(nearest("vgg", networks), "vgg16");  // its beginning
  EXPECT_EQ(nearest("alxenet.json", networks), "alexnet");
  EXPECT_EQ(nearest("transformer", networks), "");
  EXPECT_EQ(nearest("x", networks), "");
  EXPECT_EQ(nearest("alexnet", {}), "");
  EXPECT_EQ(unknown_choice("network", "lenett", {"lenet", "mlp"}),
            "network 'lenett' is not known; did you mean 'lenet'? Known: lenet, mlp");
  EXPECT_EQ(unknown_choice("network", "gpt", {"lenet", "mlp"}), "network 'gpt' is not known. Known: lenet, mlp");
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_json("result", "r.json", text);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Messages, SayWhereJsonIsNoJson) {
  const std::string where = "result 'r.json', line ";
  EXPECT_EQ(refusal(""), where + "1: not valid JSON: the text ends early");
  EXPECT_EQ(refusal("{\"a\": 1,\n \"b\": "), where + "2: not valid JSON: the text ends early");
  EXPECT_EQ(refusal("{\"a\": 1,\n \"b\": nix}"),
            where + "2: not valid JSON: expected a value at the end of ' \"b\": ni'");
  EXPECT_EQ(refusal("{\"a\" 1}"), where + "1: not valid JSON: expected ':' after the key at the end of '{\"a\" 1'");
  EXPECT_EQ(refusal("{a: 1}"), where + "1: not valid JSON: expected a key in quotes at the end of '{a'");
  EXPECT_EQ(refusal("[1 2]"), where + "1: not valid JSON: expected ',' or ']' at the end of '[1 2'");
  EXPECT_EQ(refusal("{} x"), where + "1: not valid JSON: expected nothing more at the end of '{} x'");
  EXPECT_EQ(refusal("\x1b[31m"), where + "1: not valid JSON: expected a value at the end of ' '");
  EXPECT_EQ(refusal("{\"a\": 1e999}"), "result 'r.json': not valid JSON: a number is too large: '1e999'");
  EXPECT_EQ(refusal("{\"a\": 1, \"a\": 2}"), "result 'r.json', key 'a': stands there twice");
}

TEST(Messages, CommandsWithoutTheirOutputs) {
  const Words typed{"--grid",  "2x2",    "--json", "r.json",  "--trace-ranks=0-3",
                    "--csv=-", "--seed", "2",      "--color", "never"};
  EXPECT_EQ(without_outputs(typed), (Words{"--grid", "2x2", "--seed", "2"}));
}

TEST(Messages, CsvIsNothingToRun) {
  EXPECT_EQ(csv_text("conv1"), "conv1");
  EXPECT_EQ(csv_text("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_text("=1+1"), "'=1+1");
  EXPECT_EQ(csv_text("-x,y"), "\"'-x,y\"");
  EXPECT_EQ(csv_text("a\nb\x1b"), "a b ");
}

TEST(Messages, CsvHasTheShortestNumbers) {
  CsvLine line;
  for (const double value : {1.0, 0.25, 1e-6, 1048576.0, 0.1 + 0.2}) line.add(value);
  line.add_empty(2);
  line.add("a,b");
  line.add_count(7);
  EXPECT_EQ(line.text(), "1,0.25,1e-06,1048576,0.30000000000000004,,,\"a,b\",7\n");
}

}  // namespace
}  // namespace simtrain
