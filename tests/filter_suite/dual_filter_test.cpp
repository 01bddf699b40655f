// SPDX-License-Identifier: Apache-2.0
// Tests the dual filter as a whole on every device: the properties of any blur that keeps the sum
// of light.
#include "server/filters/bloom/dual_filter.h"

#include <cmath>
#include <cstring>
#include <random>

#include "tests/filter_suite/devices.h"

namespace weft::filters::bloom {
namespace {

class DualFilterTest : public DeviceTest {
 protected:
  // Returns the glow of frames of RGBA.
  std::vector<float> glow(std::vector<float> light, const DualShape& shape, DualWork work) {
    const auto filter = DualFilter::make(device(), shape);
    EXPECT_THAT(filter, IsOk());
    const size_t bytes = light.size() * 4;
    const auto up = device().allocate(device::MemoryKind::kUpload, bytes);
    const auto buffer = device().allocate(device::MemoryKind::kDevice, bytes);
    const auto down = device().allocate(device::MemoryKind::kDownload, bytes);
    const auto scratch = device().allocate(device::MemoryKind::kDevice, (*filter)->scratch_bytes(work.units));
    const auto stream = device().make_stream();
    EXPECT_TRUE(up.ok() && buffer.ok() && down.ok() && scratch.ok() && stream.ok());
    std::memcpy((*up)->host(), light.data(), bytes);
    (*stream)->copy(**buffer, 0, **up, 0, bytes);
    (*stream)->fill(**scratch, 0, (*scratch)->size_bytes(), std::byte{0xcd});
    work.light = buffer->get();
    work.scratch = scratch->get();
    (*filter)->enqueue(**stream, work);
    (*stream)->copy(**down, 0, **buffer, 0, bytes);
    EXPECT_THAT((*stream)->wait_all(), IsOk());
    std::memcpy(light.data(), (*down)->host(), bytes);
    return light;
  }

  static std::vector<float> black(int width, int height) {
    return std::vector<float>(size_t(width * height) * 4);
  }
};

TEST_P(DualFilterTest, EvenLightStaysEven) {
  for (const auto& [width, height] : {std::pair{61, 37}, {1, 1}, {3, 100}}) {
    const std::vector<float> light(size_t(width * height) * 4, 3.5f);
    for (const float value : glow(light, {width, height, 5}, {.suppresses_fireflies = true}))
      ASSERT_NEAR(value, 3.5f, 1e-5);
  }
}

TEST_P(DualFilterTest, LightIsKeptAndSpread) {
  constexpr int kSide = 256;
  std::vector<float> light = black(kSide, kSide);
  light[(128 * kSide + 128) * 4 + 1] = 1e4f;
  double reach_before = 0;
  for (const float scatter : {0.0f, 0.4f, 0.8f}) {
    const std::vector<float> spread = glow(light, {kSide, kSide, 4}, {.scatter = scatter});
    double sum = 0, reach = 0;
    for (int i = 0; i < kSide * kSide; i++) {
      sum += spread[size_t(i) * 4 + 1];
      reach += spread[size_t(i) * 4 + 1] *
               std::hypot(i % kSide - 128, i / kSide - 128);  // NOLINT(bugprone-integer-division)
      ASSERT_EQ(spread[size_t(i) * 4], 0);
      ASSERT_GE(spread[size_t(i) * 4 + 1], 0);
    }
    EXPECT_NEAR(sum, 1e4, 0.05);
    EXPECT_GT(reach / sum, reach_before * 1.5);  // more scatter has a larger reach
    reach_before = reach / sum;
  }
  EXPECT_GT(reach_before, 8);
}

TEST_P(DualFilterTest, FirefliesAreHeldBack) {
  std::vector<float> light = black(64, 64);
  light[(31 * 64 + 30) * 4] = 6e4f;
  const auto sum = [](const std::vector<float>& samples) {
    double total = 0;
    for (const float sample : samples) total += sample;
    return total;
  };
  // a small part of the light is lost at the edges
  EXPECT_NEAR(sum(glow(light, {64, 64, 3}, {})), 6e4, 60);
  // All boxes around the pixel contain it. The other pixels of these boxes are dark.
  EXPECT_LT(sum(glow(light, {64, 64, 3}, {.suppresses_fireflies = true})), 0.3 * 6e4);
}

TEST_P(DualFilterTest, BatchesAreInvisible) {
  std::mt19937 random(1);
  std::vector<float> first(50 * 33 * 4), second(50 * 33 * 4);
  for (float& value : first) value = float(random() % 1000);
  for (float& value : second) value = float(random() % 1000);
  std::vector<float> both = first;
  both.insert(both.end(), second.begin(), second.end());
  const DualShape shape{50, 33, 4};
  std::vector<float> apart = glow(first, shape, {});
  const std::vector<float> other = glow(second, shape, {});
  apart.insert(apart.end(), other.begin(), other.end());
  EXPECT_EQ(glow(both, shape, {.units = 2}), apart);
}

TEST_P(DualFilterTest, BadShapesAreRefused) {
  EXPECT_THAT(DualFilter::make(device(), {0, 5, 3}), StatusIs(StatusCode::kInvalidArgument, "0x5"));
  EXPECT_THAT(DualFilter::make(device(), {5, 20000, 3}), StatusIs(StatusCode::kInvalidArgument, "16384"));
  EXPECT_THAT(DualFilter::make(device(), {5, 5, 14}), StatusIs(StatusCode::kInvalidArgument, "levels"));
  EXPECT_THAT(DualFilter::make(device(), {5, 5, 2, 14}),
              StatusIs(StatusCode::kInvalidArgument, "At most 13"));
  EXPECT_EQ((*DualFilter::make(device(), {4, 3, 13}))->levels(), 2);
  EXPECT_EQ(DualFilter::levels_for(64, 1920, 1080), 5);
  EXPECT_EQ(DualFilter::levels_for(1e9, 100, 100), 7);
  EXPECT_EQ(DualFilter::levels_for(0, 100, 100), 1);
}

WEFT_ON_EVERY_DEVICE(DualFilterTest);

}  // namespace
}  // namespace weft::filters::bloom
