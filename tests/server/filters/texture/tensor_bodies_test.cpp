// SPDX-License-Identifier: Apache-2.0
// Tests the choice of the texture networks' bodies for each generation of GPUs.
#include "server/filters/texture/tensor_bodies.h"

#include <gmock/gmock.h>

#include "tests/server/device/cuda/generations.h"

namespace weft::filters::texture {
namespace {

using device::cuda::info_of;
using device::cuda::kGenerations;

constexpr int kFastest = -1;

LayerBody expected_body(int capability) {
  if (capability == 90) return LayerBody::kWide;
  return capability == 75 ? LayerBody::kRows : LayerBody::kTensor;
}

TEST(TensorBodiesTest, AreChosenByGeneration) {
  for (const auto& generation : kGenerations)
    EXPECT_EQ(layer_body(info_of(generation), kFastest), expected_body(generation.capability))
        << generation.capability;
}

TEST(TensorBodiesTest, FitEachGenerationsSharedMemory) {
  for (const auto& generation : kGenerations) {
    const device::DeviceInfo info = info_of(generation);
    const LayerBody body = layer_body(info, kFastest);
    if (body != LayerBody::kRows) {
      EXPECT_LE(layer_bytes(info, body), generation.block_kib * 1024u);
    }
    EXPECT_LE(small_make_bytes(info), generation.block_kib * 1024u) << generation.capability;
  }
}

TEST(TensorBodiesTest, KeepWeightsInSharedMemoryWhereTheyFit) {
  constexpr size_t kSmallWeights = 64 * 1024, kLayerWeights = 9 * 64 * 64 * 2, kTiles = 2 * 34 * 10 * 64 * 2;
  for (const auto& generation : kGenerations) {
    const device::DeviceInfo info = info_of(generation);
    EXPECT_EQ(small_make_bytes(info) > kSmallWeights, generation.capability != 75) << generation.capability;
    if (layer_body(info, kFastest) != LayerBody::kTensor) continue;
    const size_t expected = generation.block_kib == 99 ? kTiles : kTiles + kLayerWeights;
    EXPECT_EQ(layer_bytes(info, LayerBody::kTensor), expected) << generation.capability;
  }
}

TEST(TensorBodiesTest, OfWarpgroupsAreFor90Alone) {
  for (const auto& generation : kGenerations)
    EXPECT_EQ(small_make_teams(info_of(generation)), generation.capability == 90 ? 3u : 2u);
  device::DeviceInfo ptx = info_of(kGenerations[4]);
  ptx.has_warpgroups = false;  // as with forced PTX
  EXPECT_EQ(layer_body(ptx, kFastest), LayerBody::kTensor);
  EXPECT_EQ(small_make_teams(ptx), 2u);
}

TEST(TensorBodiesTest, OtherDevicesHaveThePortableOnes) {
  device::DeviceInfo info = info_of(kGenerations[4]);
  for (const auto kind : {device::BackendKind::kCpu, device::BackendKind::kVulkan}) {
    info.kind = kind;
    EXPECT_EQ(layer_body(info, 0), LayerBody::kRows);
    EXPECT_EQ(layer_body(info, 1), LayerBody::kLanes);
  }
  EXPECT_EQ(layer_body(info, kFastest), LayerBody::kLanes);
  info.kind = device::BackendKind::kCpu;
  EXPECT_EQ(layer_body(info, kFastest), LayerBody::kRows);
}

}  // namespace
}  // namespace weft::filters::texture
