// SPDX-License-Identifier: Apache-2.0
// Tests measures of planes with known values.
#include "bench/quality/measures.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace weft::quality {
namespace {

constexpr int kWidth = 88, kHeight = 72;

// A plane with its own samples.
struct MadePlane {
  int bit_depth = 8;
  std::vector<uint16_t> codes = std::vector<uint16_t>(size_t(kWidth) * kHeight);
  std::vector<uint8_t> bytes{};

  SamplePlane plane() {
    if (bit_depth > 8)
      return {reinterpret_cast<const uint8_t*>(codes.data()), 2 * kWidth, kWidth, kHeight, bit_depth};
    bytes.assign(codes.begin(), codes.end());
    return {bytes.data(), kWidth, kWidth, kHeight, 8};
  }
  int at(int x, int y) const { return codes[size_t(y) * kWidth + size_t(x)]; }
};

MadePlane made(const std::function<int(int, int)>& code, int bit_depth = 8) {
  MadePlane result{bit_depth};
  for (int y = 0; y < kHeight; y++)
    for (int x = 0; x < kWidth; x++) result.codes[size_t(y) * kWidth + size_t(x)] = uint16_t(code(x, y));
  return result;
}

// Returns detail without a period, so that a single vector matches.
int texture(int x, int y) {
  uint64_t z = uint64_t(x + 1000) * 0x9e3779b97f4a7c15 +
               uint64_t(y + 1000) * 0xd1b54a32d192ed03;  // followed by the last steps of SplitMix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return 60 + int((z ^ (z >> 31)) % 100);
}

TEST(Measures, PlanesThatAreEqualHaveNoError) {
  MadePlane a = made(texture);
  EXPECT_EQ(mean_squared_error(a.plane(), a.plane()), 0);
  EXPECT_TRUE(std::isinf(psnr(0, 8)));
  EXPECT_DOUBLE_EQ(ssim(a.plane(), a.plane()).value(), 1);
}

TEST(Measures, PsnrIsOfThePeakOfTheDepth) {
  for (const int bits : {8, 10, 16}) {
    MadePlane a = made(texture, bits), b = made([](int x, int y) { return texture(x, y) + 5; }, bits);
    EXPECT_DOUBLE_EQ(mean_squared_error(a.plane(), b.plane()), 25) << bits;
    EXPECT_NEAR(psnr(25, bits), 20 * std::log10(((1 << bits) - 1) / 5.0), 1e-9) << bits;
  }
}

TEST(Measures, SmallPlanesHaveNoSsim) {
  MadePlane a = made(texture);
  SamplePlane small = a.plane();
  small.width = 7;
  EXPECT_FALSE(ssim(small, small).has_value());
  small.width = small.height = 8;
  EXPECT_TRUE(ssim(small, small).has_value());
}

TEST(Measures, ErrorsLieInTheirCells) {
  MadePlane a = made(texture);
  MadePlane b = made([](int x, int y) { return texture(x, y) + (x == 17 && y == 9 ? 3 : 0); });
  std::vector<double> cells;
  add_cell_errors(a.plane(), b.plane(), cells);
  add_cell_errors(a.plane(), b.plane(), cells);
  ASSERT_EQ(cells.size(), size_t(kWidth / kCell * (kHeight / kCell)));
  for (size_t i = 0; i < cells.size(); i++)
    EXPECT_EQ(cells[i], i == size_t(1 * (kWidth / kCell) + 2) ? 18 : 0) << i;
}

TEST(Flicker, LineDoublingOfAStillPictureFlickersAndTheTruthDoesNot) {
  const auto doubled = [](int field) {
    return [field](int x, int y) { return texture(x, (y & ~1) + field); };
  };
  MadePlane truth = made(texture), even = made(doubled(0)), odd = made(doubled(1));
  FlickerSum of_doubled, of_truth;
  of_doubled.add(truth.plane(), truth.plane(), even.plane(), odd.plane());
  of_truth.add(truth.plane(), truth.plane(), truth.plane(), truth.plane());
  EXPECT_EQ(of_truth.codes(), 0);
  EXPECT_EQ(of_truth.still_share(), 1);

  double squares = 0;  // sum of squares over all still blocks, by the definition
  int samples = 0;
  for (int y = 4; y < 4 + (kHeight - 8) / 16 * 16; y++)
    for (int x = 4; x < 4 + (kWidth - 8) / 16 * 16; x++, samples++)
      squares += std::pow(even.at(x, y) - odd.at(x, y), 2);
  EXPECT_NEAR(of_doubled.codes().value(), std::sqrt(squares / samples), 1e-9);
  EXPECT_GT(of_doubled.codes().value(), 10);
}

// The truth moves by whole and half pixels, up to the search range. The output moves with it and is
// lighter by 6 codes in every other picture.
TEST(Flicker, PansAreFollowed) {
  for (const int bits : {8, 12})
    for (int dy = -4; dy <= 4; dy++)
      for (int dx = -4; dx <= 4; dx++) {
        const int unit = 1 << (bits - 8);
        const auto code = [&](int x, int y) { return texture(x, y) * unit; };
        // Returns the previous picture, moved and rounded.
        const auto moved = [&](int x, int y) {
          const int i = x + (dx >> 1), j = y + (dy >> 1);
          return (code(i, j) + code(i + (dx & 1), j) + code(i, j + (dy & 1)) +
                  code(i + (dx & 1), j + (dy & 1)) + 2) /
                 4;
        };
        MadePlane before = made(code, bits), after = made(moved, bits);
        MadePlane lighter = made([&](int x, int y) { return moved(x, y) + 6 * unit; }, bits);
        FlickerSum steady, flickers;
        steady.add(before.plane(), after.plane(), before.plane(), after.plane());
        flickers.add(before.plane(), after.plane(), before.plane(), lighter.plane());
        EXPECT_EQ(steady.codes(), 0) << dx << "," << dy;
        EXPECT_EQ(flickers.still_share(), 1) << dx << "," << dy;
        EXPECT_NEAR(flickers.codes().value_or(0), 6, 0.3) << dx << "," << dy;
      }
}

TEST(Flicker, WhatMovesFasterIsLeftOut) {
  MadePlane before = made(texture), after = made([](int x, int y) { return texture(x + 5, y); });
  FlickerSum flicker;
  flicker.add(before.plane(), after.plane(), before.plane(), after.plane());
  EXPECT_FALSE(flicker.codes().has_value());
  EXPECT_EQ(flicker.still_share(), 0);

  // Only the left half moves; the right half is measured.
  MadePlane half = made([](int x, int y) { return texture(x < kWidth / 2 ? x + 5 : x, y); });
  flicker.add(before.plane(), half.plane(), before.plane(), half.plane());
  EXPECT_EQ(flicker.codes(), 0);
  EXPECT_NEAR(flicker.still_share(), 0.25, 0.06);
}

TEST(Flicker, SmoothingOfNoiseCostsNothing) {
  const auto noisy = [](int seed) {
    return [seed](int x, int y) { return 100 + texture(x + 331 * seed, y) % 3; };
  };
  MadePlane a = made(noisy(1)), b = made(noisy(2)), smooth = made([](int, int) { return 101; });
  FlickerSum smoothed, kept;
  smoothed.add(a.plane(), b.plane(), smooth.plane(), smooth.plane());
  kept.add(a.plane(), b.plane(), a.plane(), b.plane());
  EXPECT_EQ(smoothed.codes(), 0);
  EXPECT_EQ(kept.codes(), 0);
  EXPECT_EQ(kept.still_share(), 1);
}

TEST(Flicker, PicturesTooSmallHaveNone) {
  MadePlane a = made(texture);
  SamplePlane small = a.plane();
  small.width = 7;
  FlickerSum flicker;
  flicker.add(small, small, small, small);
  EXPECT_FALSE(flicker.codes().has_value());
}

}  // namespace
}  // namespace weft::quality
