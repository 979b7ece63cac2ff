// Is data read and ordered right, and is each wrong IDX file refused with its name and the reason?
#include "train/dataset.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.hpp"
#include "train/learning_rate.hpp"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

const std::string kNetwork = R"({
  "format": "simtrain-network", "version": 1, "name": "tiny",
  "input": {"channels": 1, "height": 2, "width": 3}, "dataset_images": 9, "default_batch": 2,
  "layers": [{"type": "flatten"}, {"type": "linear", "outputs": 3}]})";

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)};
}

std::string idx(const std::vector<std::uint32_t>& dimensions, const std::string& bytes) {
  std::string text{0, 0, 8, static_cast<char>(dimensions.size())};
  for (const std::uint32_t n : dimensions) text += big_endian(n);
  return text + bytes;
}

class IdxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("idx-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    images_ = idx({2, 2, 3}, std::string("\x00\x33\x66\x99\xcc\xff\xff\x00\x00\x00\x00\x01", 12));
    labels_ = idx({2}, std::string("\x02\x00", 2));
  }
  void TearDown() override { fs::remove_all(folder_); }

  IdxData load() {
    std::ofstream(folder_ / "train-images-idx3-ubyte", std::ios::binary) << images_;
    std::ofstream(folder_ / "train-labels-idx1-ubyte", std::ios::binary) << labels_;
    return {folder_.string(), "train", network_};
  }
  void refuse(const std::vector<std::string>& parts) {
    try {
      load();
      ADD_FAILURE() << "nothing was refused";
    } catch (const InputError& error) {
      for (const std::string& part : parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in: " << error.what();
    }
  }

  Network network_ = network_from_json("tiny", kNetwork);
  fs::path folder_;
  std::string images_, labels_;
};

TEST_F(IdxTest, ReadsImagesAndLabels) {
  const IdxData data = load();
  ASSERT_EQ(data.size(), 2);
  EXPECT_EQ(data.label(0), 2);
  EXPECT_EQ(data.label(1), 0);
  EXPECT_FLOAT_EQ(data.value(0, 0), -1.0F);           // 0
  EXPECT_FLOAT_EQ(data.value(0, 1), -0.6F);           // 51 of 255: 51/127.5 - 1
  EXPECT_FLOAT_EQ(data.value(0, 5), 1.0F);            // 255
  EXPECT_FLOAT_EQ(data.value(1, 5), 1 / 127.5F - 1);  // the last byte
}

// What is read at once is what is read one by one.
TEST_F(IdxTest, ReadsStretchesOfASample) {
  const IdxData files = load();
  const SyntheticData synthetic(network_, 5);
  for (const Dataset* data : {static_cast<const Dataset*>(&files), static_cast<const Dataset*>(&synthetic)}) {
    std::vector<float> stretch(4);
    data->read(1, 2, stretch);
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(stretch[static_cast<std::size_t>(i)], data->value(1, 2 + i)) << i;
  }
}

TEST_F(IdxTest, ReadsGzip) {
  const gzFile file = ::gzopen((folder_ / "train-images-idx3-ubyte.gz").c_str(), "wb");
  ::gzwrite(file, images_.data(), static_cast<unsigned>(images_.size()));
  ::gzclose(file);
  std::ofstream(folder_ / "train-labels-idx1-ubyte", std::ios::binary) << labels_;
  EXPECT_FLOAT_EQ(IdxData(folder_.string(), "train", network_).value(0, 1), -0.6F);
  fs::resize_file(folder_ / "train-images-idx3-ubyte.gz", 20);
  EXPECT_THROW(IdxData(folder_.string(), "train", network_), InputError);
}

TEST_F(IdxTest, RefusesWhatIsWrong) {
  const std::string good = images_, labels = labels_;
  images_ = good.substr(0, good.size() - 1);
  refuse({"train-images", "ends after 11 of the 12 bytes"});
  images_ = good + "x";
  refuse({"train-images", "goes on after the 12 bytes"});
  images_ = good.substr(0, 7);
  refuse({"train-images", "ends within its header"});
  images_ = "";
  refuse({"train-images", "ends within its header"});
  images_ = labels;
  refuse({"train-images", "3 dimensions"});
  images_ = idx({2, 3, 2}, std::string(12, '\0'));
  refuse({"train-images", "1x3x2", "1x2x3"});
  images_ = idx({0xffffffffU, 0xffffffffU, 0xffffffffU}, "");
  refuse({"train-images", "dimension"});
  images_ = good;
  labels_ = idx({3}, std::string(3, '\0'));
  refuse({"train-labels", "3 labels for 2 images"});
  labels_ = idx({2}, std::string("\x02\x03", 2));
  refuse({"train-labels", "label 1 is 3", "0 to 2"});
}

// In KiB, so far, of this process.
long peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST_F(IdxTest, TakesMemoryForBytesThatCameNotForThoseAnnounced) {
  images_ = idx({1U << 28, 2, 3}, "few");  // 1.5 GiB
  const long before = peak_memory();
  refuse({"train-images", "ends after 3 of the 1610612736 bytes"});
  EXPECT_LT(peak_memory() - before, 256 * 1024);
}

TEST_F(IdxTest, ReadsFilesOfManyPieces) {
  images_ = idx({6'000'000, 2, 3}, std::string(35'999'999, '\0') + '\xff');
  labels_ = idx({6'000'000}, std::string(6'000'000, '\1'));
  const IdxData data = load();
  ASSERT_EQ(data.size(), 6'000'000);
  EXPECT_FLOAT_EQ(data.value(5'999'999, 4), -1.0F);
  EXPECT_FLOAT_EQ(data.value(5'999'999, 5), 1.0F);
}

TEST_F(IdxTest, NamesAMissingFile) {
  try {
    IdxData(folder_.string(), "t10k", network_);
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("t10k-images-idx3-ubyte"), std::string::npos) << error.what();
  }
}

TEST(SampleOrder, EveryEpochIsAPermutationOfItsOwn) {
  SampleOrder order(101, true, 5), again(101, true, 5), other(101, true, 6);
  std::vector<std::int64_t> first, second;
  for (std::int64_t i = 0; i < 101; ++i) first.push_back(order.at(i));
  for (std::int64_t i = 101; i < 202; ++i) second.push_back(order.at(i));
  EXPECT_EQ(std::set<std::int64_t>(first.begin(), first.end()).size(), 101U);
  EXPECT_EQ(std::set<std::int64_t>(second.begin(), second.end()).size(), 101U);
  EXPECT_NE(first, second);
  EXPECT_EQ(order.at(3), first[3]);  // back again
  int same = 0;
  for (std::int64_t i = 0; i < 101; ++i) {
    EXPECT_EQ(again.at(i), first[static_cast<std::size_t>(i)]);
    same += other.at(i) == first[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  EXPECT_LT(same, 20);
}

TEST(SampleOrder, WithoutShufflingGoesRound) {
  SampleOrder order(3, false, 1);
  for (std::int64_t i = 0; i < 9; ++i) EXPECT_EQ(order.at(i), i % 3);
}

TEST(LearningRate, FollowsItsSchedule) {
  const auto factor = [](const char* text, std::int64_t iteration) {
    return parse_learning_rate_schedule("--s", text).factor(iteration, 10, 100);
  };
  EXPECT_EQ(factor("constant", 99), 1);
  EXPECT_DOUBLE_EQ(factor("step:2:0.1", 19), 1);  // epochs of 10 iterations: the first two
  EXPECT_DOUBLE_EQ(factor("step:2:0.1", 20), 0.1);
  EXPECT_DOUBLE_EQ(factor("step:2:0.1", 40), 0.01);
  EXPECT_DOUBLE_EQ(factor("cosine", 0), 1);
  EXPECT_NEAR(factor("cosine", 50), 0.5, 1e-12);
  EXPECT_NEAR(factor("cosine", 100), 0, 1e-12);
  for (const char* wrong : {"", "cosin", "step", "step:", "step:2", "step:0:0.1", "step:2:0", "step:2:x"})
    EXPECT_THROW(parse_learning_rate_schedule("--s", wrong), InputError) << wrong;
}

}  // namespace
}  // namespace simtrain
