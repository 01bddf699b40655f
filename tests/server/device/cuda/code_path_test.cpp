// SPDX-License-Identifier: Apache-2.0
// Tests the choice of kernels' code for a GPU.
#include "server/device/cuda/code_path.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "server/device/cuda/code.h"
#include "tests/server/device/cuda/generations.h"

namespace weft::device::cuda {
namespace {

using Targets = std::vector<std::string>;

const Targets kAll = {"75-virtual", "80", "86", "89", "90a", "100", "120"};

std::string target_of(const Targets& targets, int capability, bool only_ptx = false) {
  const auto code = choose_code(targets, capability, only_ptx);
  return code ? code->target : "none";
}

TEST(CudaCodeTest, PackagesHaveMachineCodeForEachGenerationFrom8) {
  for (const Generation& generation : kGenerations) {
    const auto code = choose_code(kAll, generation.capability, false);
    ASSERT_TRUE(code) << generation.capability;
    EXPECT_EQ(code->target, generation.code_of_all);
    EXPECT_EQ(describe(*code), generation.code_text);
    EXPECT_EQ(code->has_warpgroups, generation.capability == 90) << generation.capability;
  }
}

TEST(CudaCodeTest, MachineCodeRunsOnLaterMinorsOfItsMajor) {
  EXPECT_EQ(target_of(kAll, 87), "86");
  EXPECT_EQ(target_of(kAll, 103), "100");
  EXPECT_EQ(target_of(kAll, 121), "120");
  EXPECT_EQ(target_of({"86", "80-virtual"}, 89), "86");
  EXPECT_EQ(target_of({"89", "80-virtual"}, 86), "80-virtual");
  EXPECT_EQ(target_of({"100"}, 90), "none");
}

TEST(CudaCodeTest, TheDriverCompilesPtxForOtherGenerations) {
  EXPECT_EQ(target_of(kAll, 110), "75-virtual");
  EXPECT_EQ(target_of(kAll, 130), "75-virtual");
  EXPECT_EQ(target_of({"75-virtual", "80-virtual"}, 90), "80-virtual");
  EXPECT_EQ(target_of({"90a", "90-virtual"}, 89), "none");
  EXPECT_EQ(target_of({"90a", "90-virtual"}, 100), "90-virtual");
}

TEST(CudaCodeTest, Code90aRunsOn90Alone) {
  EXPECT_EQ(target_of({"90a"}, 90), "90a");
  EXPECT_EQ(target_of({"90a"}, 100), "none");
}

TEST(CudaCodeTest, ForcedPtxLeavesOutMachineCodeAndWarpgroups) {
  for (const Generation& generation : kGenerations) {
    const auto code = choose_code(kAll, generation.capability, true);
    ASSERT_TRUE(code);
    EXPECT_EQ(code->target, "75-virtual");
    EXPECT_FALSE(code->has_warpgroups);
  }
  EXPECT_EQ(target_of({"90a", "90-virtual"}, 86, true), "none");
}

TEST(CudaCodeTest, BodiesForWarpgroupsAreInEveryBuild) {
  EXPECT_TRUE(choose_code(Targets{"75-virtual"}, 90, false)->has_warpgroups);
  EXPECT_FALSE(choose_code(Targets{"75-virtual"}, 100, false)->has_warpgroups);
}

TEST(CudaCodeTest, TheEnvironmentForcesPtx) {
  ::unsetenv("CUDA_FORCE_JIT");
  ::unsetenv("CUDA_FORCE_PTX_JIT");
  EXPECT_FALSE(is_ptx_forced());
  ::setenv("CUDA_FORCE_PTX_JIT", "0", 1);
  EXPECT_FALSE(is_ptx_forced());
  ::setenv("CUDA_FORCE_PTX_JIT", "1", 1);
  EXPECT_TRUE(is_ptx_forced());
  ::unsetenv("CUDA_FORCE_PTX_JIT");
}

TEST(CudaCodeTest, OldGpusAreRefusedWithTheReason) {
  EXPECT_EQ(target_of(kAll, 61), "none");
  EXPECT_EQ(why_no_code(kAll, 61, false),
            "its compute capability is 6.1 and this build has code of 75-virtual, 80, 86, 89, 90a, 100, 120; "
            "kernels need 7.5 at least.");
  EXPECT_EQ(why_no_code(Targets{"90a", "90-virtual"}, 86, false),
            "its compute capability is 8.6 and this build has code of 90a, 90-virtual; add 86 to "
            "WEFT_CUDA_ARCHITECTURES.");
}

TEST(CudaCodeTest, ThisBuildHasPtxForLaterGpus) {
  const Targets targets = code_targets();
  if (targets.empty()) GTEST_SKIP() << "This build has no CUDA toolkit.";
  EXPECT_TRUE(
      std::ranges::any_of(targets, [](const std::string& target) { return target.ends_with("-virtual"); }));
}

}  // namespace
}  // namespace weft::device::cuda
