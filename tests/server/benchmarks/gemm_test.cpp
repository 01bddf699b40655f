// SPDX-License-Identifier: Apache-2.0
// Tests the size of gemm_tensor's array on each generation of GPUs.
#include "server/benchmarks/gemm.h"

#include <gmock/gmock.h>

#include "tests/server/device/cuda/generations.h"

namespace weft::benchmarks {
namespace {

TEST(GemmTensorTest, FitsEachGenerationsSharedMemory) {
  constexpr size_t kStage = (128 + 256) * 32 * 2;  // bytes of a step's rows and columns
  for (const auto& generation : device::cuda::kGenerations) {
    const size_t bytes = gemm_tensor_bytes(device::cuda::info_of(generation));
    EXPECT_LE(bytes, generation.block_kib * 1024u) << generation.capability;
    const size_t expected = generation.capability == 90   ? 4 * 2 * kStage + 1024
                            : generation.capability == 75 ? 2 * kStage
                                                          : 4 * kStage;
    EXPECT_EQ(bytes, expected) << generation.capability;
  }
}

}  // namespace
}  // namespace weft::benchmarks
