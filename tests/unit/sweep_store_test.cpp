// Results files: nothing that was written is lost, and nothing foreign is taken for a result.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "report/json.hpp"
#include "sim/sweep/store.hpp"
#include "tests/support/sample_result.hpp"
#include "tests/support/sample_sweep.hpp"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

// The digests of FIPS 180-2, appendix B.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// Batch 64 on 4 x 1, by the order of the space's product.
Result of_point_2() {
  Result result = sample_result();
  result.job.grid_rows = 4;
  result.job.grid_columns = 1;
  return result;
}

class Store : public testing::Test {
 protected:
  Store() { fs::create_directories(folder_); }
  ~Store() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string text() const { return read_file("file", path); }
  void put(const std::string& contents) const { std::ofstream(path, std::ios::binary) << contents; }
  [[nodiscard]] std::string refusal(const SweepInputs& of) const {
    try {
      const ResultsStore store(path, of);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  // Three lines of two points.
  void write_sample() const {
    ResultsStore store(path, inputs);
    store.append(bound_line(2, 0.01));
    store.append(result_line(2, to_json(of_point_2())));
    store.append(error_line(4, "no luck, \"quoted\"\nand a line more"));
  }

  const std::string folder_ = "sweep_store_test_files";
  const std::string path = folder_ + "/results.jsonl";
  SweepInputs inputs = sample_inputs();
};

TEST_F(Store, GivesBackWhatWasAppended) {
  write_sample();
  const ResultsStore again(path, inputs);
  ASSERT_EQ(again.states().size(), 2U);
  EXPECT_EQ(again.states().at(2).result, of_point_2());
  EXPECT_EQ(again.states().at(2).lower_bound_s, 0.01);
  EXPECT_EQ(again.states().at(4).error, "no luck, \"quoted\"\nand a line more");
  EXPECT_EQ(again.cut_off_bytes(), 0U);
  EXPECT_EQ(read_results(path).inputs.line(), inputs.line());
}

// The header's hash says nothing about them.
TEST_F(Store, RefusesLinesOfAnotherSweep) {
  { ResultsStore(path, inputs).append(result_line(1, to_json(of_point_2()))); }
  std::string said = refusal(inputs);
  for (const char* part : {path.c_str(), "line 2", "a result of grid 4x1, and the point's is 2x2"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  fs::remove(path);
  { ResultsStore(path, inputs).append(result_line(5, to_json(of_point_2()))); }
  said = refusal(inputs);
  EXPECT_NE(said.find("a result of batch 64, and the point's is 128"), std::string::npos) << said;
}

// As a process would leave it that died anywhere within a write.
TEST_F(Store, WhatIsCutOffAnywhereKeepsEveryWholeLine) {
  write_sample();
  const std::string whole = text();
  const std::size_t step = whole.size() / 97;
  for (std::size_t size = 0; size <= whole.size();
       size = size + step > whole.size() && size < whole.size() ? whole.size() : size + step) {
    put(whole.substr(0, size));
    const std::size_t lines =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<long>(size), '\n'));
    {
      ResultsStore store(path, inputs);
      const bool half = size > 0 && whole[size - 1] != '\n';
      EXPECT_EQ(store.cut_off_bytes() > 0, half) << size;
      EXPECT_EQ(store.states().contains(2), lines >= 2) << size;
      EXPECT_EQ(store.states().contains(4), lines >= 4) << size;
      if (lines < 4) store.append(error_line(4, "no luck, \"quoted\"\nand a line more"));
    }
    EXPECT_EQ(ResultsStore(path, inputs).states().at(4).error, "no luck, \"quoted\"\nand a line more") << size;
  }
}

TEST_F(Store, RefusesAnotherSweepAndSaysWhatDiffers) {
  write_sample();
  const std::string before = text();
  const auto expect_parts = [&](const SweepInputs& other, const std::vector<std::string>& parts) {
    const std::string said = refusal(other);
    for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_EQ(text(), before);
  };
  SweepInputs other = inputs;
  other.space.dimensions[1].values = {"64", "256"};
  expect_parts(other, {path, "another sweep", "--batch", "64 | 128", "64 | 256"});
  other = inputs;
  other.options["iterations"] = "3";
  other.options["prune"] = "yes";
  expect_parts(other, {"--iterations is '1' there and '3' here", "--prune is given here and not there"});
  other = inputs;
  other.files["profile 'p'"] = sha256_hex("q");
  expect_parts(other, {"profile 'p' has other contents now"});
  other = inputs;
  other.space.grids.pop_back();
  expect_parts(other, {"grids are 1x4 | 2x2 | 4x1 there and 1x4 | 2x2 here"});
}

TEST_F(Store, RefusesForeignFilesAndOtherVersions) {
  const auto expect_refused = [&](const std::string& contents, const std::vector<std::string>& parts) {
    put(contents);
    const std::string said = refusal(inputs);
    for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << contents << "\n" << said;
    EXPECT_EQ(text(), contents) << "left as it was";
  };
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string header = inputs.line();
    header.replace(header.find(from), from.size(), to);
    return header;
  };
  expect_refused("my thesis\n", {"none of simtrain sweep's"});
  expect_refused("my thesis", {"none of simtrain sweep's"});
  expect_refused("{\"format\":\"something\"}\n", {"none of simtrain sweep's"});
  expect_refused("[1,2]\n", {"none of simtrain sweep's"});
  expect_refused(std::string("\0\0\0\n", 4), {"none of simtrain sweep's"});
  expect_refused(edited("\"version\":1", "\"version\":2"), {"version 2 of the format", "expected 1"});
  expect_refused(edited("\"program\":\"", "\"program\":\"9."), {"simtrain 9."});
  expect_refused(edited("1x4", "4x4"), {"header that was changed"});
  expect_refused(edited("\"grids\":[", "\"grids\":[7,"), {"header that was changed"});
  for (const char* line : {"junk\n", "{\"point\":6,\"skipped\":true}\n", "{\"point\":1}\n", "[]\n", "\n",
                           "{\"point\":1,\"result\":{}}\n", "{\"point\":1,\"colour\":2}\n",
                           "{\"point\":1,\"replica\":0,\"iteration_s\":1}\n", "{\"point\":-1,\"skipped\":true}\n"})
    expect_refused(inputs.line() + line, {path, "line 2"});
  expect_refused(inputs.line() + error_line(1, "a") + error_line(1, "b"), {"line 3", "another error"});
}

TEST_F(Store, IsOneProcessAlone) {
  const ResultsStore store(path, inputs);
  const std::string said = refusal(inputs);
  EXPECT_NE(said.find("is being written by another sweep"), std::string::npos) << said;
}

// The lock is not the children's.
TEST_F(Store, IsFreeWhenItsOwnerIsKilledAndAChildLivesOn) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    ResultsStore store(path, inputs);
    store.append(error_line(1, "before"));
    if (::fork() == 0) {
      store.leave_to_parent();
      const pid_t me = ::getpid();
      static_cast<void>(::write(ends[1], &me, sizeof me));
    }
    ::pause();
  }
  pid_t child = 0;
  ASSERT_EQ(::read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_EQ(refusal(inputs), "");
  EXPECT_EQ(ResultsStore(path, inputs).states().at(1).error, "before");
  ::kill(child, SIGKILL);
  ::close(ends[0]);
  ::close(ends[1]);
}

// A limit on the size of files, in a child, since it cannot be raised again.
TEST_F(Store, KeepsWhatDoesNotFitOnTheDiskAndTriesAgain) {
  const pid_t child = ::fork();
  if (child == 0) {
    int failures = 0;
    {
      ResultsStore store(path, inputs);
      const auto size = static_cast<rlim_t>(fs::file_size(path));
      store.append(error_line(0, "fits"));
      rlimit limit{size + 60, RLIM_INFINITY};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      store.append(error_line(1, std::string(200, 'x')));
      if (store.trouble().empty()) failures |= 1;
      if (read_results(path).states.size() != 1 || read_results(path).cut_off) failures |= 2;
      store.append(error_line(2, "as well"));
      if (store.trouble().empty()) failures |= 4;
      limit.rlim_cur = RLIM_INFINITY;
      ::setrlimit(RLIMIT_FSIZE, &limit);
      store.append(error_line(3, "there is room again"));
      if (!store.trouble().empty()) failures |= 8;
    }
    if (read_results(path).states.size() != 4) failures |= 16;
    ::_exit(failures);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Store, NeedsAPlainFileInAFolder) {
  for (const char* where : {"/dev/full", "no-such-folder/results", "."}) {
    try {
      const ResultsStore store(where, inputs);
      ADD_FAILURE() << where;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(where), std::string::npos) << error.what();
    }
  }
}

TEST_F(Store, NamesMayHoldAnything) {
  inputs.space.dimensions[0].values = {"<script>alert(1)</script>", "two\nlines", "a | b", "\"quoted\"", "$(reboot)"};
  { ResultsStore(path, inputs).append(error_line(29, "last")); }
  EXPECT_EQ(ResultsStore(path, inputs).states().at(29).error, "last");
  EXPECT_EQ(read_results(path).inputs.space, inputs.space);
}

}  // namespace
}  // namespace simtrain
