// Profiles: what is written is read again, and nothing else is.
#include "calibrate/profile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "calibrate/kernel_times.hpp"
#include "tests/support/sample_certificate.hpp"

namespace simtrain {
namespace {

// Ten shapes of each of a few kernels, two of them kept aside; times with more digits than the file keeps.
std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const Kernel kernel : {Kernel::gemm_nn, Kernel::im2col, Kernel::update})
    for (std::int64_t i = 1; i <= 10; ++i) {
      Call call{kernel, 100 * i};
      if (kernel != Kernel::update) call = {kernel, 100 * i, 7 + i, 1 + i % 3};
      all.push_back({call, {1.23456789e-6 * static_cast<double>(i), 2e-6}, i % 5 == 0});
    }
  return all;
}

Profile profile() { return Profile::fit(sample_certificate(), samples()); }

TEST(Profile, IsTheSameAfterWritingAndReading) {
  const Profile before = profile();
  const std::string text = before.to_json();
  const Profile after = Profile::from_json("p.json", text);
  EXPECT_EQ(after.to_json(), text);
  EXPECT_EQ(after.path(), "p.json");
  EXPECT_EQ(after.certificate().machine, "node \"7\"");
  EXPECT_EQ(after.certificate().blas_core_type, "Haswell");
  EXPECT_EQ(after.certificate().environment, "OPENBLAS_CORETYPE=Haswell");
  EXPECT_EQ(after.certificate().date, "2024-02-29T12:00:00Z");
  EXPECT_EQ(after.certificate().seed, 42U);
  ASSERT_EQ(after.samples().size(), 30U);
  EXPECT_EQ(after.samples()[0].seconds, (std::vector<double>{1.235e-6, 2e-6}));
  EXPECT_EQ(after.samples()[4].kept_aside, true);
  for (const std::int64_t m : {1, 150, 1000, 1'000'000})
    for (const Kernel kernel : {Kernel::gemm_nn, Kernel::im2col, Kernel::update}) {
      const Call call = kernel == Kernel::update ? Call{kernel, m} : Call{kernel, m, 9, 2};
      EXPECT_EQ(after.estimate(call).seconds, before.estimate(call).seconds) << name_of(kernel) << " " << m;
      EXPECT_EQ(after.estimate(call).measured_range, before.estimate(call).measured_range);
    }
  EXPECT_EQ(after.at({}).kernels(), (std::vector{Kernel::gemm_nn, Kernel::im2col, Kernel::update}));
  EXPECT_EQ(after.at({}).fit(Kernel::gemm_nn)->error().samples, 2);
}

TEST(Profile, HoldsWhatWasMeasuredUnderOtherLoads) {
  // Beside another process an update takes twice as long, on two threads products half as long.
  const auto scaled = [](Kernel kernel, double factor) {
    std::vector<Sample> some;
    for (Sample sample : samples())
      if (sample.call.kernel == kernel) {
        for (double& seconds : sample.seconds) seconds *= factor;
        some.push_back(sample);
      }
    return KernelTimes(some);
  };
  Profile before = profile();
  before.add({.threads = 1, .processes = 4}, scaled(Kernel::update, 2));
  before.add({.threads = 2, .processes = 1}, scaled(Kernel::gemm_nn, 0.5));
  const std::string text = before.to_json();
  const Profile after = Profile::from_json("p.json", text);
  EXPECT_EQ(after.to_json(), text);
  EXPECT_EQ(after.loads().size(), 3U);
  const Call update{Kernel::update, 300}, product{Kernel::gemm_nn, 300, 10, 1};
  const double update_s = after.estimate(update).seconds, product_s = after.estimate(product).seconds;
  // The samples are kept to four digits.
  EXPECT_NEAR(after.at({1, 4}).estimate(update).seconds, 2 * update_s, 1e-3 * update_s);
  EXPECT_EQ(after.at({1, 4}).estimate(product).seconds, product_s) << "not measured: as alone";
  EXPECT_NEAR(after.at({2, 1}).estimate(product).seconds, 0.5 * product_s, 1e-3 * product_s);
  EXPECT_EQ(&after.at({1, 3}), &after.at({1, 4})) << "the next larger number of processes";
  EXPECT_EQ(&after.at({1, 9}), &after.at({1, 4})) << "the largest there is";
  try {
    (void)after.at({3, 1});
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("3 threads were not measured; measured on: 1, 2"), std::string::npos)
        << error.what();
  }
}

TEST(Profile, ReadsAFile) {
  const std::string path = "profile_test_" + std::to_string(::getpid()) + ".json";
  std::ofstream(path) << profile().to_json();
  EXPECT_EQ(Profile::read(path).samples().size(), 30U);
  std::remove(path.c_str());
  EXPECT_THROW(Profile::read(path), InputError);
}

// Reads the text and expects an InputError that mentions all of `parts`.
void expect_refused(const std::string& text, const std::vector<std::string>& parts) {
  try {
    Profile::from_json("p.json", text);
    FAIL() << "accepted, expected an error about " << parts.front();
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind("profile 'p.json'", 0), 0U) << what;
    for (const std::string& part : parts) EXPECT_NE(what.find(part), std::string::npos) << part << " in: " << what;
  }
}

// The profile with the first `from` replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = profile().to_json();
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ProfileReading, RefusesTruncatedFiles) {
  const std::string text = profile().to_json();
  expect_refused("", {"line 1", "ends early"});
  for (std::size_t length = 0; length < text.size() - 2; length += 97)
    expect_refused(text.substr(0, length), {"line "});
}

TEST(ProfileReading, RefusesOtherFormatsAndVersions) {
  expect_refused("[1]", {"expected an object"});
  expect_refused(changed("simtrain-profile", "simtrain-network"), {"'format'", "simtrain-profile"});
  expect_refused(changed("\"version\": 2", "\"version\": 1"), {"'version'", "from 2 to 2", "found 1"});
}

TEST(ProfileReading, RefusesUnknownKeysAndKernels) {
  expect_refused(changed("\"cpu\"", "\"cpus\""), {"'certificate.cpu'", "is missing"});
  expect_refused(changed("\"seed\": 42", "\"seed\": 42, \"sed\": 1"), {"'certificate.sed'", "did you mean 'seed'"});
  expect_refused(changed("\"gemm_nn\"", "\"gemm_n\""), {"'kernels.gemm_n'", "not known"});
  expect_refused(changed("\"mnk\":", "\"mnkl\":"), {"kernels.gemm_nn.fit.coefficients.mnk'", "is missing"});
  expect_refused(changed("{\"m\":100,", "{\"m\":100,\"p\":1,"), {"kernels.gemm_nn.samples[0].p'"});
  // Only matrix products and im2col have n and k.
  const std::string text = profile().to_json();
  const auto update = text.find("\"update\"");
  std::string with_n = text;
  with_n.insert(with_n.find("\"seconds\"", update), "\"n\":2,");
  expect_refused(with_n, {"kernels.update.samples[0].n'"});
}

TEST(ProfileReading, RefusesWrongTypesAndRanges) {
  expect_refused(changed("\"threads\": 1", "\"threads\": \"one\""), {"'certificate.threads'", "whole number"});
  expect_refused(changed("{\"m\":100,", "{\"m\":0,"), {"samples[0].m'", "at least 1", "found 0"});
  expect_refused(changed("{\"m\":100,", "{\"m\":100.5,"), {"samples[0].m'", "found 100.5"});
  expect_refused(changed("[1.235e-06,2e-06]", "[1.235e-06,-2e-06]"), {"samples[0].seconds'", "above 0", "-2e-06"});
  expect_refused(changed("[1.235e-06,2e-06]", "[]"), {"samples[0].seconds'", "at least one"});
  expect_refused(changed("[1.235e-06,2e-06]", "[\"fast\"]"), {"samples[0].seconds'", "\"fast\""});
  expect_refused(changed("[1.235e-06,2e-06]", "1.0"), {"samples[0].seconds'", "a list"});
  expect_refused(changed("\"mk\":", "\"mk\":-1.0,\"old\":"), {"coefficients.mk'", "found -1.0"});
}

// Opens a file with that text.
Profile opened(const std::string& text) {
  const std::string path = "profile_test_" + std::to_string(::getpid()) + ".json";
  std::ofstream(path) << text;
  try {
    Profile profile = Profile::open(path);
    std::remove(path.c_str());
    return profile;
  } catch (...) {
    std::remove(path.c_str());
    throw;
  }
}

TEST(ProfileOpening, ReadsAKernelWhenItIsAskedFor) {
  const Profile whole = profile();
  EXPECT_EQ(opened(whole.to_json()).to_json(), whole.to_json());
  const Profile wrong = opened(changed("{\"m\":100,", "{\"m\":0,"));  // of products
  const Call update{Kernel::update, 450};
  EXPECT_EQ(wrong.estimate(update).seconds, whole.estimate(update).seconds) << "another kernel";
  for (int time = 0; time < 2; ++time) try {
      (void)wrong.estimate({Kernel::gemm_nn, 1, 1, 1});
      FAIL() << "expected an InputError";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("key 'kernels.gemm_nn.samples[0].m': expected a whole number"),
                std::string::npos)
          << error.what();
    }
  EXPECT_THROW((void)wrong.samples(), InputError);
}

TEST(ProfileOpening, FindsWhatIsNoJsonAtOnce) {
  for (const auto& [from, to] : {std::pair{"{\"m\":100,", "{\"m\":01,"},
                                 {"[1.235e-06,2e-06]", "[1.235e-06,2e-06,]"},
                                 {"\"fit\": {", "\"fit\" {"}}) {
    const std::string text = changed(from, to);
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(to)), '\n');
    try {
      (void)opened(text);
      FAIL() << "opened in spite of " << to;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(", line " + std::to_string(line) + ": not valid JSON"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW((void)opened(changed("\"gemm_nn\"", "\"gemm_n\"")), InputError) << "an unknown kernel";
}

// Spaces and another order of keys take the slower reader of samples, texts with escapes that of the whole file.
TEST(ProfileOpening, ReadsWhatOtherProgramsWrite) {
  const Profile whole = profile();
  for (const auto& [from, to] : {std::pair{"{\"m\":100,", "{ \"m\" : 1e2, "}, {"node \\\"7\\\"", "node 7"}}) {
    const std::string text = changed(from, to);
    if (std::string(to).find("1e2") != std::string::npos) {
      expect_refused(text, {"kernels.gemm_nn.samples[0].m'", "found 100.0"});
      continue;
    }
    const Profile plain = opened(text);
    EXPECT_EQ(plain.samples(), whole.samples());
  }
  std::string turned = profile().to_json();
  const std::string from = "{\"m\":100,\"n\":8,\"k\":2,\"seconds\":[1.235e-06,2e-06]}";
  ASSERT_NE(turned.find(from), std::string::npos);
  turned.replace(turned.find(from), from.size(),
                 "{\"seconds\": [0.000001235, 2E-6], \"k\": 2, \"n\": 8, \"m\": 100, \"kept_aside\": false}");
  EXPECT_EQ(opened(turned).samples(), whole.samples());
}

TEST(ProfileOpening, ReadsTheNetworkWhenItIsAskedFor) {
  std::string text = profile().to_json();
  text.insert(text.rfind('}'), ",\"network\": {\"locale\": 1}\n");
  const Profile wrong = opened(text);
  EXPECT_EQ(wrong.samples().size(), 30U);
  EXPECT_THROW((void)wrong.network(), InputError);
  expect_refused(text, {"'network."});
}

TEST(ProfileReading, RefusesALoadThatStandsThereTwice) {
  Profile loaded = profile();
  loaded.add({1, 2}, KernelTimes({{{Kernel::update, 10}, {1e-6}, false}}));
  std::string text = loaded.to_json();
  const auto at = text.find("{\"threads\": 1, \"processes\": 2");
  text.insert(at, text.substr(at, text.rfind(']') - at) + ",");
  expect_refused(text, {"loads[1].processes'", "twice"});
}

TEST(ProfileReading, RefusesFitsThatDoNotFit) {
  expect_refused(changed("{\"method\":\"polynomial\"", "{\"method\":\"polynom\""), {"did you mean 'polynomial'"});
  expect_refused(changed("{\"m\":200,\"n\":9,\"k\":3", "{\"m\":100,\"n\":8,\"k\":2"), {"samples[1]", "twice"});
}

TEST(Profile, SaysWhichKernelIsMissing) {
  const Profile some = Profile::from_json("p.json", profile().to_json());
  try {
    (void)some.estimate({Kernel::gemm_nt, 1, 1, 1});
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("profile 'p.json': kernel 'gemm_nt' is missing; ", 0), 0U)
        << error.what();
  }
}

TEST(Machine, HasANameAndACpu) {
  const MachineIdentity machine = this_machine();
  EXPECT_FALSE(machine.machine.empty());
  EXPECT_FALSE(machine.cpu.empty());
}

}  // namespace
}  // namespace simtrain
