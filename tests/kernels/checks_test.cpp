// SPDX-License-Identifier: Apache-2.0
// Tests ASSERT, GUARD and BARRIER on the CPU with a wrong kernel or a wrong launch.
#include "kernels/test/checks.kernel"

#include <fstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/lang/registry.h"
#include "kernels/test/checks_block.kernel"

namespace weft::kernels {
namespace {

// Returns the position of `text` in checks.kernel, in the form of an assertion's message:
// "kernels/test/checks.kernel:7: ".
std::string offset_of(std::string_view text) {
  std::ifstream file(WEFT_SOURCE_FOLDER "/kernels/test/checks.kernel");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    number++;
    if (line.find(text) != std::string::npos)
      return "kernels/test/checks.kernel:" + std::to_string(number) + ": ";
  }
  return "no such line";
}

class ChecksTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const bool runs_here = GetParam() == 0 || (GetParam() == 1 && __builtin_cpu_supports("x86-64-v3")) ||
                           (GetParam() == 2 && __builtin_cpu_supports("x86-64-v4"));
    if (!runs_here || find_kernel("test/checks")->cpu[GetParam()] == nullptr)
      GTEST_SKIP() << "Not built for this instruction set, or the machine does not have it.";
  }

  // Launches `lanes` lanes, in the build for this test's instruction set.
  template <class Params>
  void run(const char* name, const Params& params, int lanes) const {
    find_kernel(name)->cpu[GetParam()]->run({.params = &params,
                                             .lanes = {lanes, 1, 1},
                                             .sized_bytes = 0,
                                             .first_block = 0,
                                             .count = static_cast<uint64_t>(lanes + 63) / 64});
  }
};

TEST_P(ChecksTest, ARightKernelRuns) {
  std::vector<int> values(100, 7);
  run("test/checks", checks::Params{{values.data()}, 100, 0}, 100);
  EXPECT_EQ(values, std::vector<int>(100, 8));
}

TEST_P(ChecksTest, AnAssertionInTheBodyAborts) {
  std::vector<int> values(100, 7);
  values[60] = 13;
  EXPECT_DEATH(run("test/checks", checks::Params{{values.data()}, 100, 0}, 100), offset_of("!= 13"));
}

TEST_P(ChecksTest, AnAssertionInAFunctionAborts) {
  std::vector<int> values(100, 7);
  EXPECT_DEATH(run("test/checks", checks::Params{{values.data()}, 100, 8}, 100), offset_of("ASSERT(value"));
}

TEST_P(ChecksTest, AGridBeyondTheGuardAborts) {
  std::vector<int> values(100, 7);
  EXPECT_DEATH(run("test/checks", checks::Params{{values.data()}, 99, 0}, 100), offset_of("GUARD("));
}

TEST_P(ChecksTest, LanesThatAgreeAboutBarriersRun) {
  std::vector<int> values(32, 0);
  run("test/checks_block", checks_block::Params{{values.data()}, 32, 32}, 32);
  run("test/checks_block", checks_block::Params{{values.data()}, 0, 0}, 32);
  EXPECT_EQ(values, std::vector<int>(32, 1));
}

TEST_P(ChecksTest, LanesThatDisagreeAboutBarriersAbort) {
  std::vector<int> values(32, 0);
  for (const auto& [first, second] :
       {std::pair(31, 32), std::pair(1, 32), std::pair(32, 7), std::pair(0, 31)}) {
    EXPECT_DEATH(run("test/checks_block", checks_block::Params{{values.data()}, first, second}, 32),
                 "checks_block.kernel:[0-9]+: .*every lane of the block reaches this BARRIER");
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, ChecksTest, testing::Values(0, 1, 2), [](const auto& isa) {
  return isa.param == 0 ? "Baseline" : isa.param == 1 ? "V3" : "V4";
});

}  // namespace
}  // namespace weft::kernels
