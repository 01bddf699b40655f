// SPDX-License-Identifier: Apache-2.0
// Textures at twice and at half the size, against sums in doubles and against what must be so for any texture.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "tests/server/filters/texture/run_units.h"

namespace weft::filters::texture {
namespace {

constexpr int kBorders[] = {BORDER_CLAMP, BORDER_WRAP, BORDER_MIRROR};
constexpr int kSizes[][2] = {{1, 1}, {2, 1}, {1, 7}, {3, 5}, {8, 8}, {33, 17}};

struct Picture8 {
  int width, height;
  std::string texels = std::string(size_t(width) * size_t(height) * 4, '\0');

  char& at(int x, int y, int c) { return texels[(size_t(y) * size_t(width) + size_t(x)) * 4 + size_t(c)]; }
  int code(int x, int y, int c) const {
    return uint8_t(texels[(size_t(y) * size_t(width) + size_t(x)) * 4 + size_t(c)]);
  }
};

Picture8 noise(int width, int height, bool has_extremes) {
  std::mt19937 random(unsigned(width * 100 + height));
  Picture8 picture{width, height};
  for (char& byte : picture.texels)
    byte = has_extremes && random() % 2 == 0 ? char(random() % 2 * 255) : char(random());
  return picture;
}

// Far from 0 and 255, so that nothing is cut off.
Picture8 waves(int width, int height) {
  Picture8 picture{width, height};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 4; c++)
        picture.at(x, y, c) =
            char(std::lround(128 + 30 * std::sin(x / (2.0 + c)) + 25 * std::cos(y / 3.0 - x * c / 9.0)));
  return picture;
}

double lanczos(double t) {
  t = std::abs(t);
  if (t < 1e-12) return 1;
  if (t >= 3) return 0;
  return 3 * std::sin(M_PI * t) * std::sin(M_PI * t / 3) / (M_PI * M_PI * t * t);
}

int place(int i, int size, int border) {
  if (border == BORDER_CLAMP) return std::clamp(i, 0, size - 1);
  while (i < 0 || i >= size) {
    if (border == BORDER_WRAP) i += i < 0 ? size : -size;
    if (border == BORDER_MIRROR) i = i < 0 ? -1 - i : 2 * size - 1 - i;
  }
  return i;
}

using Plane = std::vector<double>;

// One channel doubled, in doubles.
Plane doubled(const Plane& from, int width, int height, int border) {
  Plane to(from.size() * 4);
  for (int y = 0; y < 2 * height; y++)
    for (int x = 0; x < 2 * width; x++) {
      double sum = 0, all = 0;
      const double centre_x = (x + 0.5) / 2 - 0.5, centre_y = (y + 0.5) / 2 - 0.5;
      for (int j = int(std::floor(centre_y)) - 3; j <= std::floor(centre_y) + 4; j++)
        for (int i = int(std::floor(centre_x)) - 3; i <= std::floor(centre_x) + 4; i++) {
          const double weight = lanczos(i - centre_x) * lanczos(j - centre_y);
          sum += weight * from[size_t(place(j, height, border) * width + place(i, width, border))];
          all += weight;
        }
      to[size_t(y * 2 * width + x)] = sum / all;
    }
  return to;
}

Plane halved(const Plane& from, int width, int height) {
  Plane to(size_t(width / 2 * (height / 2)));
  for (int y = 0; y < height / 2; y++)
    for (int x = 0; x < width / 2; x++) {
      const size_t at = size_t(2 * y * width + 2 * x);
      to[size_t(y * (width / 2) + x)] =
          (from[at] + from[at + 1] + from[at + size_t(width)] + from[at + size_t(width) + 1]) / 4;
    }
  return to;
}

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
        Plane values = given;
        const auto missing = [&](const Plane& big) {
          const Plane made = halved(big, 2 * small.width, 2 * small.height);
          Plane rest(given.size());
          for (size_t i = 0; i < rest.size(); i++) rest[i] = given[i] - made[i];
          return rest;
        };
        for (int pass = 0; pass < passes; pass++) {
          const Plane rest = missing(doubled(values, small.width, small.height, border));
          for (size_t i = 0; i < values.size(); i++) values[i] += rest[i];
        }
        Plane wanted = doubled(values, small.width, small.height, border);
        const Plane rest = missing(wanted);
        for (int y = 0; y < large.height; y++)
          for (int x = 0; x < large.width; x++) {
            const double value =
                wanted[size_t(y * large.width + x)] + rest[size_t(y / 2 * small.width + x / 2)];
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

// A normal map of bumps; `shorter` than unit vectors.
Picture8 bumps(int width, int height, double length) {
  Picture8 picture{width, height};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double a = 0.8 * std::sin(x / 3.0), b = 0.8 * std::cos(y / 4.0 + x / 7.0),
                   scale = length / std::sqrt(1 + a * a + b * b);
      const double v[3] = {a * scale, b * scale, scale};
      for (int c = 0; c < 3; c++) picture.at(x, y, c) = char(std::lround(127.5 * (1 + v[c])));
      picture.at(x, y, 3) = char(x * 7 % 256);
    }
  return picture;
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
