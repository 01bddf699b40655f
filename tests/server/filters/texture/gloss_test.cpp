// SPDX-License-Identifier: Apache-2.0
// Compares the gloss of a level of normals with Toksvig's formula in double precision.
#include <algorithm>
#include <cmath>
#include <string>

#include <gmock/gmock.h>

#include "server/filters/texture/upsample.h"
#include "tests/server/filters/texture/plain_resampling.h"
#include "tests/server/filters/texture/reference_blocks.h"
#include "tests/server/filters/texture/run_units.h"

namespace weft::filters::texture {
namespace {

constexpr int kGlossSizes[][2] = {{1, 1}, {2, 2}, {5, 3}, {64, 34}};

// Returns the gain of four vectors over their average, as the inverse of a specular power.
double gain_of(const Picture8& picture, int x, int y) {
  double mean[3] = {}, squares = 0;
  for (const auto& [dx, dy] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}})
    for (int c = 0; c < 3; c++) {
      const double v =
          picture.code(std::min(x + dx, picture.width - 1), std::min(y + dy, picture.height - 1), c) / 127.5 -
          1;
      mean[c] += v / 4;
      squares += v * v / 4;
    }
  const double shorter = std::hypot(mean[0], mean[1], mean[2]), length = std::sqrt(squares);
  if (length < 1.0 / 16) return 0;
  return (1 - shorter) / shorter - (1 - length) / length;
}
double alpha_of(double gain) { return std::min(255 * std::sqrt(std::max(gain, 0.0)), 255.0); }

class GlossTest : public DeviceTest {
 protected:
  Picture8 gloss(const Picture8& picture, bool has_gain = true) {
    const auto made = run_units(
        device(), texels_format(picture.width, picture.height), {picture.texels},
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          ASSIGN_OR_RETURN(const Port port,
                           add_gloss(context, network, source, picture.width, picture.height, has_gain));
          return std::vector<Port>{port};
        });
    return {picture.width, picture.height, made[0].at(0)};
  }
};
WEFT_ON_EVERY_DEVICE(GlossTest);

TEST_P(GlossTest, IsToksvigsFormulaTheOtherWay) {
  for (const auto& [width, height] : kGlossSizes)
    for (const Picture8& normals : {bumps(width, height, 1), bumps(width, height, 0.7),
                                    noise(width, height, false), noise(width, height, true)}) {
      const Picture8 made = gloss(normals);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          for (int c = 0; c < 3; c++) ASSERT_EQ(made.code(x, y, c), normals.code(x, y, c));
          ASSERT_NEAR(made.code(x, y, 3), alpha_of(gain_of(normals, x & ~1, y & ~1)),
                      0.51 + 0.002 * made.code(x, y, 3))
              << width << "x" << height << " at " << x << "," << y;
        }
    }
}

// A shader adds the gain to the inverse power: the result at half the size equals the average at
// this size.
TEST_P(GlossTest, GivesBackWhatAveragingTakes) {
  const Picture8 normals = bumps(40, 30, 1), made = gloss(normals);
  constexpr double kPower = 80;  // specular power at this size
  for (int y = 0; y < 30; y += 2)
    for (int x = 0; x < 40; x += 2) {
      const double gain = gain_of(normals, x, y);
      // length of the average of unit vectors
      const double length = 1 / (1 + gain);
      const double factor = length / (length + kPower * (1 - length));  // Toksvig's factor
      const double wide = factor * kPower;
      const double alpha = made.code(x, y, 3) / 255.0;
      ASSERT_NEAR(1 / (1 / wide - alpha * alpha), kPower, 0.05 * kPower) << x << "," << y;
    }
}

TEST_P(GlossTest, AFlatSurfaceGainsNothing) {
  for (const char code : {char(0), char(127), char(128), char(200), char(255)}) {
    Picture8 flat{6, 6};
    for (char& byte : flat.texels) byte = code;
    const Picture8 made = gloss(flat);
    for (int y = 0; y < 6; y++)
      for (int x = 0; x < 6; x++) ASSERT_EQ(made.code(x, y, 3), 0) << int(uint8_t(code));
  }
}

TEST_P(GlossTest, OppositeVectorsGainAll) {
  Picture8 normals{2, 2};
  for (int x = 0; x < 2; x++)
    for (int y = 0; y < 2; y++) {
      normals.at(x, y, 0) = char(x == 0 ? 0 : 255);
      normals.at(x, y, 1) = char(y == 0 ? 127 : 128);
      normals.at(x, y, 2) = char(y == 0 ? 127 : 128);
    }
  EXPECT_EQ(gloss(normals).code(0, 0, 3), 255);
  // Vectors that are too short for a direction have no gain.
  Picture8 none{2, 2};
  for (size_t i = 0; i < none.texels.size(); i++) none.texels[i] = char(126 + i * 7 % 4);
  EXPECT_EQ(gloss(none).code(0, 0, 3), 0);
}

// The first level has a gain, and the levels below it have none.
TEST_P(GlossTest, LevelsBelowTheFirstGainNothing) {
  const Picture8 small = bumps(20, 12, 1);
  const auto made = run_units(
      device(), texels_format(20, 12), {small.texels},
      [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
        Upsampling task{.source = {BLOCKS_NONE, 20, 12}, .target_format = BLOCKS_NONE};
        task.enlargement.is_normal = true;
        task.has_gloss = true;
        task.levels = 4;
        return add_upsampling(context, network, source, task);
      });
  ASSERT_EQ(made[0].size(), 4u);
  const Picture8 first{40, 24, made[0][0]};
  int most = 0;
  for (int y = 0; y < 24; y++)
    for (int x = 0; x < 40; x++) {
      ASSERT_NEAR(first.code(x, y, 3), alpha_of(gain_of(first, x & ~1, y & ~1)), 1);
      most = std::max(most, first.code(x, y, 3));
    }
  EXPECT_GT(most, 10);
  for (size_t level = 1; level < 4; level++)
    for (size_t i = 0; i < made[0][level].size(); i += 4) {
      if (level == 1) {
        ASSERT_EQ(made[0][1].substr(i, 3), small.texels.substr(i, 3));
      }
      ASSERT_EQ(made[0][level][i + 3], 0) << "level " << level;
    }
}

// Tests gloss in blocks of BC7 and BC3, with an error of a few codes.
class GlossBlocksTest : public DeviceTest {};
WEFT_ON_QUICK_DEVICES(GlossBlocksTest);  // other tests cover the encoders on all devices

TEST_P(GlossBlocksTest, HoldIt) {
  const Picture8 small = bumps(16, 16, 1);
  for (const int format : {BLOCKS_BC7, BLOCKS_BC3}) {
    const auto made = run_units(
        device(), texels_format(16, 16), {small.texels},
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          Upsampling task{.source = {BLOCKS_NONE, 16, 16}, .target_format = format};
          task.enlargement.is_normal = true;
          task.has_gloss = true;
          ASSIGN_OR_RETURN(std::vector<Port> outputs, add_upsampling(context, network, source, task));
          ASSIGN_OR_RETURN(const Port texels,
                           add_enlarger(context, network, source, 16, 16, task.enlargement));
          ASSIGN_OR_RETURN(const Port wanted, add_gloss(context, network, texels, 32, 32, true));
          outputs.push_back(wanted);
          return outputs;
        });
    const std::string texels = plain::decode_image(format, 32, 32, made[0][0]);
    double error = 0;
    for (size_t i = 3; i < texels.size(); i += 4)
      error += std::abs(int(uint8_t(texels[i])) - int(uint8_t(made[0][1][i]))) / (32.0 * 32);
    EXPECT_LT(error, 4) << format;
  }
}

}  // namespace
}  // namespace weft::filters::texture
