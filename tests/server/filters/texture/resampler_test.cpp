// SPDX-License-Identifier: Apache-2.0
// Tests textures at twice and at half the size, against sums in double precision and by general
// properties.
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
  Picture8 halve(const Picture8& picture, int mean = LEVEL_MEAN_CODES) {
    const auto made = run_units(
        device(), texels_format(picture.width, picture.height), {picture.texels},
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          ASSIGN_OR_RETURN(const Port port,
                           add_halver(context, network, source, picture.width, picture.height, mean));
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
  const Picture8 half = halve(small, LEVEL_MEAN_NORMALS);
  for (int y = 0; y < large.height; y++)
    for (int x = 0; x < large.width; x++) ASSERT_NEAR(length_at(large, x, y), 1, 0.01) << x << "," << y;
  for (int y = 0; y < half.height; y++)
    for (int x = 0; x < half.width; x++) ASSERT_NEAR(length_at(half, x, y), 1, 0.01) << x << "," << y;
  // Alpha is not a part of the normals.
  const Picture8 as_mask = enlarge(small, {});
  for (int y = 0; y < large.height; y++)
    for (int x = 0; x < large.width; x++) ASSERT_EQ(large.code(x, y, 3), as_mask.code(x, y, 3));
}

TEST_P(ResamplerTest, ShorterNormalsKeepTheirLength) {
  const Picture8 small = bumps(40, 30, 0.8);
  EXPECT_EQ(enlarge(small, {.is_normal = true}).texels, enlarge(small, {}).texels);
  EXPECT_EQ(halve(small, LEVEL_MEAN_NORMALS).texels, halve(small).texels);
}

// Expects the mean of the values of the codes, weighted by area, as a code.
template <class ValueOf, class CodeOf>
void expect_area_means(const Picture8& large, const Picture8& made, int c, double slack, ValueOf value_of,
                       CodeOf code_of) {
  const double step_x = double(large.width) / made.width, step_y = double(large.height) / made.height;
  for (int y = 0; y < made.height; y++)
    for (int x = 0; x < made.width; x++) {
      double sum = 0;
      for (int j = 0; j < large.height; j++)
        for (int i = 0; i < large.width; i++) {
          const double over_x = std::min(i + 1.0, (x + 1) * step_x) - std::max(double(i), x * step_x);
          const double over_y = std::min(j + 1.0, (y + 1) * step_y) - std::max(double(j), y * step_y);
          if (over_x > 0 && over_y > 0) sum += over_x * over_y * value_of(large.code(i, j, c));
        }
      ASSERT_NEAR(made.code(x, y, c), code_of(sum / (step_x * step_y)), slack)
          << large.width << "x" << large.height << " at " << x << "," << y;
    }
}

// Returns the light of an sRGB code by IEC 61966-2-1.
double light_of(double code) {
  const double value = code / 255;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}
double code_of(double light) {
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055);
}

TEST_P(ResamplerTest, OddSidesCountEachTexelAlike) {
  const auto same = [](double value) { return value; };
  for (const auto& [width, height] :
       {std::pair{7, 5}, std::pair{5, 1}, std::pair{3, 8}, std::pair{1, 1}, std::pair{513, 9}}) {
    const Picture8 large = noise(width, height, false);
    const Picture8 made = halve(large), light = halve(large, LEVEL_MEAN_LIGHT);
    for (int c = 0; c < 4; c++) {
      expect_area_means(large, made, c, 1.6, same, same);
      if (c < 3) expect_area_means(large, light, c, 1.6, light_of, code_of);
    }
  }
}

// Returns the nearest code. A value half-way between two codes, as in the linear part of sRGB, is
// rounded up.
int nearest_code(double value) { return int(std::floor(value + 0.5 + 1e-9)); }

// All pairs of codes alternate in a checkerboard.
TEST_P(ResamplerTest, ColoursOfSrgbAreAveragedAsLight) {
  Picture8 pairs{512, 512};
  for (int y = 0; y < 512; y++)
    for (int x = 0; x < 512; x++)
      for (int c = 0; c < 4; c++) pairs.at(x, y, c) = char((x + y) % 2 == 0 ? x / 2 : y / 2);
  const Picture8 made = halve(pairs, LEVEL_MEAN_LIGHT);
  EXPECT_EQ(made.code(0, 255, 0), 188);
  for (int y = 0; y < 256; y++)
    for (int x = 0; x < 256; x++) {
      for (int c = 0; c < 3; c++)
        ASSERT_EQ(made.code(x, y, c), nearest_code(code_of((light_of(x) + light_of(y)) / 2)))
            << x << "," << y;
      ASSERT_EQ(made.code(x, y, 3), nearest_code((x + y) / 2.0)) << "alpha " << x << "," << y;
    }
}

TEST_P(ResamplerTest, LightIsConstantWhereColoursAre) {
  for (int code = 0; code < 256; code += 5) {
    const Picture8 flat{7, 9, std::string(size_t{7} * 9 * 4, char(code))};
    EXPECT_EQ(halve(flat, LEVEL_MEAN_LIGHT).texels, std::string(size_t{3} * 4 * 4, char(code)));
  }
}

TEST_P(ResamplerTest, EveryDeviceMakesTheSame) {
  static std::map<std::string, std::string> first;
  for (const bool is_normal : {false, true})
    for (const int border : kBorders) {
      // The texture is large enough for several portions on a CPU.
      const Picture8 made =
          enlarge(is_normal ? bumps(230, 170, 1) : noise(230, 170, true), {is_normal, border, 2});
      const std::string name = fmt::format("normal {}, border {}", is_normal, border);
      const auto [known, is_new] = first.emplace(name, made.texels);
      EXPECT_TRUE(is_new || made.texels == known->second) << name;
    }
}

}  // namespace
}  // namespace weft::filters::texture
