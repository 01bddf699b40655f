// SPDX-License-Identifier: Apache-2.0
// Textures at twice and at half the size, against sums in doubles and against what must be so for any texture.
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "tests/server/filters/texture/plain_resampling.h"
#include "tests/server/filters/texture/run_units.h"

namespace weft::filters::texture {
namespace {

constexpr int kBorders[] = {BORDER_CLAMP, BORDER_WRAP, BORDER_MIRROR};
constexpr int kSizes[][2] = {{1, 1}, {2, 1}, {1, 7}, {3, 5}, {8, 8}, {33, 17}};

class ResamplerTest : public DeviceTest {
 protected:
  Picture8 enlarge(const Picture8& picture, const Enlargement& options) {
    const auto made = run_units(
        device(), texels_format(picture.width, picture.height), {picture.texels},
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          ASSIGN_OR_RETURN(const Port port,
                           add_enlarger(context, network, source, picture.width, picture.height, options));
          return std::vector<Port>{port};
        });
    return {2 * picture.width, 2 * picture.height, made[0].at(0)};
  }
  Picture8 halve(const Picture8& picture, bool is_normal = false) {
    const auto made = run_units(
        device(), texels_format(picture.width, picture.height), {picture.texels},
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          ASSIGN_OR_RETURN(const Port port,
                           add_halver(context, network, source, picture.width, picture.height, is_normal));
          return std::vector<Port>{port};
        });
    return {std::max(picture.width / 2, 1), std::max(picture.height / 2, 1), made[0].at(0)};
  }
};
WEFT_ON_EVERY_DEVICE(ResamplerTest);

TEST_P(ResamplerTest, TheMeanOfFourIsTheTexel) {
  for (const auto& [width, height] : kSizes)
    for (const int border : kBorders)
      for (const bool has_extremes : {false, true}) {
        const Picture8 small = noise(width, height, has_extremes);
        const Picture8 large = enlarge(small, {.border = border});
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++)
            for (int c = 0; c < 4; c++) {
              const int sum = large.code(2 * x, 2 * y, c) + large.code(2 * x + 1, 2 * y, c) +
                              large.code(2 * x, 2 * y + 1, c) + large.code(2 * x + 1, 2 * y + 1, c);
              ASSERT_EQ(sum, 4 * small.code(x, y, c))
                  << width << "x" << height << " border " << border << " at " << x << "," << y;
            }
        EXPECT_EQ(halve(large).texels, small.texels);
      }
}

TEST_P(ResamplerTest, IsBackProjectedLanczos) {
  for (const int border : kBorders)
    for (const int passes : {1, 2, 4}) {
      const Picture8 small = waves(37, 22);
      const Picture8 large = enlarge(small, {.border = border, .passes = passes});
      for (int c = 0; c < 4; c++) {
        Plane given(size_t(small.width * small.height));
        for (size_t i = 0; i < given.size(); i++) given[i] = uint8_t(small.texels[4 * i + size_t(c)]);
        Plane wanted = enlarged(given, small.width, small.height, border, passes);
        restore_means(wanted, given, small.width, small.height);
        for (int y = 0; y < large.height; y++)
          for (int x = 0; x < large.width; x++) {
            const double value = wanted[size_t(y * large.width + x)];
            ASSERT_NEAR(large.code(x, y, c), value, 1.01) << "border " << border << ", passes " << passes;
          }
      }
    }
}

TEST_P(ResamplerTest, ATilingTextureTilesAfterwards) {
  const Picture8 small = noise(24, 16, false);
  Picture8 moved{24, 16};
  constexpr int kX = 7, kY = 11;
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 24; x++)
      for (int c = 0; c < 4; c++) moved.at((x + kX) % 24, (y + kY) % 16, c) = char(small.code(x, y, c));
  const Picture8 large = enlarge(small, {.border = BORDER_WRAP}),
                 large_moved = enlarge(moved, {.border = BORDER_WRAP});
  for (int y = 0; y < 32; y++)
    for (int x = 0; x < 48; x++)
      for (int c = 0; c < 4; c++)
        ASSERT_EQ(large.code(x, y, c), large_moved.code((x + 2 * kX) % 48, (y + 2 * kY) % 32, c))
            << x << "," << y;
}

TEST_P(ResamplerTest, ChannelsDoNotTouchEachOther) {
  const Picture8 small = noise(20, 20, true);
  Picture8 other = noise(20, 20, false);
  for (int y = 0; y < 20; y++)
    for (int x = 0; x < 20; x++) other.at(x, y, 3) = char(small.code(x, y, 3));
  const Picture8 large = enlarge(small, {}), large_other = enlarge(other, {});
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 40; x++) ASSERT_EQ(large.code(x, y, 3), large_other.code(x, y, 3));
}

double length_at(const Picture8& picture, int x, int y) {
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += std::pow(picture.code(x, y, c) / 127.5 - 1, 2);
  return std::sqrt(sum);
}

TEST_P(ResamplerTest, UnitNormalsStayUnit) {
  const Picture8 small = bumps(40, 30, 1);
  const Picture8 large = enlarge(small, {.is_normal = true});
  const Picture8 half = halve(small, true);
  for (int y = 0; y < large.height; y++)
    for (int x = 0; x < large.width; x++) ASSERT_NEAR(length_at(large, x, y), 1, 0.01) << x << "," << y;
  for (int y = 0; y < half.height; y++)
    for (int x = 0; x < half.width; x++) ASSERT_NEAR(length_at(half, x, y), 1, 0.01) << x << "," << y;
  // Alpha is no part of them.
  const Picture8 as_mask = enlarge(small, {});
  for (int y = 0; y < large.height; y++)
    for (int x = 0; x < large.width; x++) ASSERT_EQ(large.code(x, y, 3), as_mask.code(x, y, 3));
}

TEST_P(ResamplerTest, ShorterNormalsKeepTheirLength) {
  const Picture8 small = bumps(40, 30, 0.8);
  EXPECT_EQ(enlarge(small, {.is_normal = true}).texels, enlarge(small, {}).texels);
  EXPECT_EQ(halve(small, true).texels, halve(small, false).texels);
}

TEST_P(ResamplerTest, OddSidesCountEachTexelAlike) {
  for (const auto& [width, height] :
       {std::pair{7, 5}, std::pair{5, 1}, std::pair{3, 8}, std::pair{1, 1}, std::pair{513, 9}}) {
    const Picture8 large = noise(width, height, false);
    const Picture8 made = halve(large);
    // Area overlap, in doubles.
    const double step_x = double(width) / made.width, step_y = double(height) / made.height;
    for (int y = 0; y < made.height; y++)
      for (int x = 0; x < made.width; x++)
        for (int c = 0; c < 4; c++) {
          double sum = 0;
          for (int j = 0; j < height; j++)
            for (int i = 0; i < width; i++) {
              const double over_x = std::min(i + 1.0, (x + 1) * step_x) - std::max(double(i), x * step_x);
              const double over_y = std::min(j + 1.0, (y + 1) * step_y) - std::max(double(j), y * step_y);
              if (over_x > 0 && over_y > 0) sum += over_x * over_y * large.code(i, j, c);
            }
          ASSERT_NEAR(made.code(x, y, c), sum / (step_x * step_y), 1.6)
              << width << "x" << height << " at " << x << "," << y;
        }
  }
}

TEST_P(ResamplerTest, EveryDeviceMakesTheSame) {
  static std::map<std::string, std::string> first;
  for (const bool is_normal : {false, true})
    for (const int border : kBorders) {
      // Large enough for portions on a CPU.
      const Picture8 made =
          enlarge(is_normal ? bumps(230, 170, 1) : noise(230, 170, true), {is_normal, border, 2});
      const std::string name = fmt::format("normal {}, border {}", is_normal, border);
      const auto [known, is_new] = first.emplace(name, made.texels);
      EXPECT_TRUE(is_new || made.texels == known->second) << name;
    }
}

}  // namespace
}  // namespace weft::filters::texture
