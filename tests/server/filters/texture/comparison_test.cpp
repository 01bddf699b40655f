// SPDX-License-Identifier: Apache-2.0
// Tests the detection of textures that a network degrades: the sums of every device against sums in
// double precision, and the accepted cases.
#include "server/filters/texture/comparison.h"

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "server/filters/texture/upsample.h"
#include "tests/server/filters/texture/parts_node.h"
#include "tests/server/filters/texture/reference_small.h"
#include "tests/server/filters/texture/run_units.h"

namespace weft::filters::texture {
namespace {

// A small texture, and two textures of twice its size.
struct Case {
  Picture8 texels, made, plain;
  bool is_normal = false;
};

// Returns the texture at twice the size, with a random error of at most `off` codes in each texel.
Picture8 repeated(const Picture8& small, int off, unsigned seed) {
  std::mt19937 random(seed);
  Picture8 large{2 * small.width, 2 * small.height};
  for (int y = 0; y < large.height; y++)
    for (int x = 0; x < large.width; x++)
      for (int c = 0; c < 4; c++) {
        const int moved = off == 0 ? 0 : int(random() % unsigned(2 * off + 1)) - off;
        large.at(x, y, c) = char(std::clamp(small.code(x / 2, y / 2, c) + moved, 0, 255));
      }
  return large;
}

double plain_ratio(const Picture8& picture) {
  double sums[2] = {}, counts[2] = {};
  const auto add = [&](int position, int size, const std::function<int(int, int)>& code) {
    if (position < 1 || position + 2 > size - 1) return;
    double bends = 0;
    for (int c = 0; c < 3; c++)
      for (const int at : {0, 1}) bends += std::abs(code(at - 1, c) - 2 * code(at, c) + code(at + 1, c));
    sums[position % 4 == 3] += bends;
    counts[position % 4 == 3]++;
  };
  for (int y = 0; y < picture.height; y++)
    for (int x = 0; x < picture.width; x++) {
      add(x, picture.width, [&](int i, int c) { return picture.code(x + i, y, c); });
      add(y, picture.height, [&](int i, int c) { return picture.code(x, y + i, c); });
    }
  if (counts[0] == 0 || counts[1] == 0) return 1;
  return (sums[1] / counts[1] + 24) / (sums[0] / counts[0] + 24);
}

// Returns the excess of `made` over three times the filter's detail, as a ratio of the means across
// block edges and within blocks. The detail is the largest second difference on a line and its
// neighbours.
double plain_unexplained(const Picture8& made, const Picture8& filtered) {
  double sums[2] = {}, counts[2] = {}, detail = 0;
  const auto bends = [](const std::function<int(int, int)>& code, int position, int size) {
    double sum = 0;
    if (position < 1 || position + 2 > size - 1) return sum;
    for (int c = 0; c < 3; c++)
      for (const int at : {position, position + 1})
        sum += std::abs(code(at - 1, c) - 2 * code(at, c) + code(at + 1, c));
    return sum;
  };
  const auto add_lines = [&](int size, const std::function<int(int, int)>& of_made,
                             const std::function<int(int, int)>& of_filtered) {
    for (int position = 1; position + 2 <= size - 1; position++) {
      double explained = 0;
      for (const int at : {position - 1, position, position + 1})
        explained = std::max(explained, 3 * bends(of_filtered, at, size));
      const int kind = position % 4 == 3;
      sums[kind] += std::max(0.0, bends(of_made, position, size) - explained);
      counts[kind]++;
      if (kind == 0) detail += bends(of_made, position, size);
    }
  };
  for (int y = 0; y < made.height; y++)
    add_lines(
        made.width, [&](int i, int c) { return made.code(i, y, c); },
        [&](int i, int c) { return filtered.code(i, y, c); });
  for (int x = 0; x < made.width; x++)
    add_lines(
        made.height, [&](int i, int c) { return made.code(x, i, c); },
        [&](int i, int c) { return filtered.code(x, i, c); });
  if (counts[0] == 0 || counts[1] == 0) return 0;
  return (sums[1] / counts[1] - sums[0] / counts[0]) / (detail / counts[0] + 24);
}

// Returns the shift of a channel in the four large texels of a texel.
double gain_of_four(const Case& given, const Picture8& large, int x, int y, int c) {
  double mean[3] = {}, length = 0, own = 0;
  for (int i = 0; i < 3; i++) {
    for (const auto& [dx, dy] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}})
      mean[i] += large.code(2 * x + dx, 2 * y + dy, i) / 4.0;
    length += std::pow(mean[i] / 127.5 - 1, 2);
    own += std::pow(2 * given.texels.code(x, y, i) - 255, 2);
  }
  if (!given.is_normal || own < 249 * 249 || own > 261 * 261) return mean[c] - given.texels.code(x, y, c);
  const double code = double(std::lround(127.5 * (1 + (mean[c] / 127.5 - 1) / std::sqrt(length))));
  return code - given.texels.code(x, y, c);
}

// Returns the shift of a channel; for normals less the shift of the filter.
double gain_at(const Case& given, int x, int y, int c) {
  const double gain = gain_of_four(given, given.made, x, y, c);
  return given.is_normal ? gain - gain_of_four(given, given.plain, x, y, c) : gain;
}

class ComparisonTest : public DeviceTest {
 protected:
  // Compares two equal units in batches of `batch`.
  TextureComparison compare(const Case& given, int batch = 2) {
    const int width = given.texels.width, height = given.texels.height;
    const std::string unit = given.texels.texels + given.made.texels + given.plain.texels;
    const auto made = run_units(
        device(), PortFormat::data("parts", unit.size()), {unit, unit},
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          const std::array<size_t, 3> bytes = {given.texels.texels.size(), given.made.texels.size(),
                                               given.plain.texels.size()};
          ASSIGN_OR_RETURN(const std::vector<Port> parts,
                           network.add_node(std::make_unique<PartsNode>(bytes), std::array{source}));
          ASSIGN_OR_RETURN(const Port compared, add_comparison(context, network, parts[0], parts[1], parts[2],
                                                               width, height, given.is_normal));
          return std::vector<Port>{compared};
        },
        batch);
    TextureComparison comparison(width, height);
    for (const auto& compared : made) comparison.add(std::as_bytes(std::span(compared.at(0))));
    return comparison;
  }
};
WEFT_ON_EVERY_DEVICE(ComparisonTest);
class ComparedNetworkTest : public ComparisonTest {};
WEFT_ON_QUICK_DEVICES(
    // other tests cover the networks and the sums, and the bytes are the same on every device
    ComparedNetworkTest);

TEST_P(ComparisonTest, SumsAreThoseOfEachTexel) {
  constexpr std::array<std::array<int, 2>, 6> kSizes = {
      {{1, 1}, {3, 5}, {16, 16}, {33, 17}, {70, 50}, {2, 90}}};
  for (const auto& [width, height] : kSizes)
    for (const bool is_normal : {false, true}) {
      const Picture8 small = is_normal ? bumps(width, height, 1) : noise(width, height, true);
      const Case given = {small, repeated(small, 20, 1), repeated(small, 3, 2), is_normal};
      const TextureComparison found = compare(given);
      double most = 0;
      for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++) sum += gain_at(given, x, y, c);
        most = std::max(most, std::abs(sum) / (width * height));
      }
      // A vector's code is rounded by way of a rounded length.
      const double near = is_normal ? 0.1 : 1e-9;
      EXPECT_NEAR(found.shift(), most, near) << width << "x" << height;
      EXPECT_NEAR(found.flat(), plain_ratio(given.made) - plain_ratio(given.plain), 1e-9)
          << width << "x" << height;
      EXPECT_NEAR(found.edges(), plain_unexplained(given.made, given.plain), 1e-9) << width << "x" << height;
      if (width <= 16 && height <= 16) {
        EXPECT_DOUBLE_EQ(found.window_shift(), found.shift());
      }
    }
}

TEST_P(ComparisonTest, ADecisionDoesNotDependOnTheBatch) {
  const Picture8 small = noise(50, 40, false);
  const Case given = {small, repeated(small, 30, 1), repeated(small, 0, 1)};
  const TextureComparison one = compare(given, 1), two = compare(given, 2);
  EXPECT_EQ(one.shift(), two.shift());
  EXPECT_EQ(one.window_shift(), two.window_shift());
  EXPECT_EQ(one.edges(), two.edges());
  EXPECT_EQ(one.flat(), two.flat());
  EXPECT_EQ(one.detail(), two.detail());
}

TEST_P(ComparisonTest, FindsColoursThatShift) {
  const Picture8 small = waves(64, 64);
  Case given = {small, repeated(small, 0, 1), repeated(small, 0, 1)};
  EXPECT_EQ(compare(given).fault(), std::nullopt);
  // A shift of one code over the whole texture is accepted, a shift of two is not.
  for (const int codes : {1, 2}) {
    given.made = repeated(small, 0, 1);
    for (int y = 0; y < 128; y++)
      for (int x = 0; x < 128; x++) given.made.at(x, y, 1) = char(given.made.code(x, y, 1) + codes);
    const TextureComparison found = compare(given);
    EXPECT_DOUBLE_EQ(found.shift(), codes);
    EXPECT_EQ(found.fault().has_value(), codes == 2);
    if (codes == 2) {
      EXPECT_THAT(*found.fault(), testing::HasSubstr("colours shift by 2.0 codes (1 are"));
    }
  }
}

// The shifted area is in a corner, where no window is cut off by an edge.
TEST_P(ComparisonTest, FindsAPlaceWhoseColoursShift) {
  const Picture8 small = waves(200, 200);
  Case given = {small, repeated(small, 0, 1), repeated(small, 0, 1)};
  const int codes = int(TextureComparison::kMostWindowShift) + 2;
  for (int y = 400 - 64; y < 400; y++)
    for (int x = 400 - 64; x < 400; x++) given.made.at(x, y, 2) = char(given.made.code(x, y, 2) - codes);
  const TextureComparison found = compare(given);
  EXPECT_LT(found.shift(), TextureComparison::kMostShift);
  EXPECT_GT(found.window_shift(), TextureComparison::kMostWindowShift);
  ASSERT_TRUE(found.fault());
  EXPECT_THAT(*found.fault(), testing::HasSubstr("of a place"));
}

// Each block is shifted by several codes. The means of four texels remain within a code, but the
// steps between blocks are visible.
TEST_P(ComparisonTest, FindsBlocksThatShow) {
  const Picture8 small = waves(96, 96);
  for (const int codes : {0, 6}) {
    Case given = {small, repeated(small, 0, 1), repeated(small, 0, 1)};
    for (int y = 0; y < 192; y++)
      for (int x = 0; x < 192; x++)
        for (int c = 0; c < 3; c++) {
          // The texels are smooth within blocks, so that only block edges have steps.
          const int sign = (x / 4 + y / 4) % 2 == 0 ? 1 : -1;
          given.made.at(x, y, c) = char(128 + sign * codes);
          given.plain.at(x, y, c) = char(128);
        }
    given.texels = Picture8{96, 96};
    for (char& code : given.texels.texels) code = char(128);
    const TextureComparison found = compare(given);
    EXPECT_EQ(found.fault().has_value(), codes > 0);
    if (codes > 0) {
      EXPECT_THAT(*found.fault(), testing::HasSubstr("Edges of blocks show"));
    }
  }
}

// The texture has rough stripes of 8 texels with edges between blocks. The filter makes the same
// edges, but softer.
TEST_P(ComparisonTest, ARegularStructureIsNoFault) {
  Case given = {noise(96, 96, false), {}, Picture8{192, 192}};
  for (int y = 0; y < 96; y++)
    for (int x = 0; x < 96; x++)
      for (int c = 0; c < 4; c++)
        given.texels.at(x, y, c) = char((x / 4 % 2 == 0 ? 80 : 160) + given.texels.code(x, y, c) / 16);
  given.made = repeated(given.texels, 8, 1);
  const auto filtered = run_units(
      device(), texels_format(96, 96), {given.texels.texels},
      [](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
        ASSIGN_OR_RETURN(const Port large,
                         add_enlarger(context, network, source, 96, 96, {.border = BORDER_CLAMP}));
        return std::vector<Port>{large};
      });
  given.plain.texels = filtered.at(0).at(0);
  const TextureComparison found = compare(given);
  // The structure has the period of the blocks.
  EXPECT_GT(found.flat(), TextureComparison::kMostFlat);
  EXPECT_EQ(found.fault(), std::nullopt);
}

// Each block is replaced by its mean. The steps between blocks are then no larger than those of the
// texture.
TEST_P(ComparisonTest, FindsBlocksWithoutDetail) {
  Case given = {noise(96, 96, false), repeated(noise(96, 96, false), 0, 1), Picture8{192, 192}};
  given.plain = given.made;
  for (int y = 0; y < 192; y++)
    for (int x = 0; x < 192; x++)
      for (int c = 0; c < 3; c++) {
        int sum = 0;
        for (int k = 0; k < 16; k++) sum += given.plain.code(x / 4 * 4 + k % 4, y / 4 * 4 + k / 4, c);
        given.made.at(x, y, c) = char(sum / 16);
      }
  for (char& code : given.texels.texels) code = char(128);
  for (int y = 0; y < 96; y++)
    for (int x = 0; x < 96; x++)
      for (int c = 0; c < 3; c++) given.texels.at(x, y, c) = given.made.at(2 * x, 2 * y, c);
  const TextureComparison found = compare(given);
  EXPECT_LT(found.detail(), TextureComparison::kLeastDetail);
  ASSERT_TRUE(found.fault());
  EXPECT_THAT(*found.fault(), testing::HasSubstr("etail within blocks"));
}

TEST_P(ComparisonTest, AFewBlocksSayNothing) {
  const Picture8 small = noise(6, 6, false);
  Case given = {small, repeated(small, 0, 1), repeated(small, 0, 1)};
  for (int y = 0; y < 12; y++)
    for (int x = 0; x < 12; x++)
      for (int c = 0; c < 3; c++) given.plain.at(x, y, c) = 0;
  EXPECT_EQ(compare(given).fault(), std::nullopt);
}

// The large network keeps means with any weights. The filter is compared with itself.
TEST_P(ComparisonTest, TheFilterIsNoFault) {
  const Picture8 small = noise(40, 30, true);
  const auto made = run_units(
      device(), texels_format(40, 30), {small.texels},
      [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
        Upsampling task{.source = {BLOCKS_NONE, 40, 30}, .target_format = BLOCKS_NONE};
        task.is_checked = true;
        ASSIGN_OR_RETURN(const std::vector<Port> outputs, add_upsampling(context, network, source, task));
        EXPECT_EQ(outputs.size(), 2u);
        return std::vector<Port>{outputs.back()};
      });
  TextureComparison comparison(40, 30);
  comparison.add(std::as_bytes(std::span(made[0].at(0))));
  EXPECT_EQ(comparison.shift(), 0);
  EXPECT_EQ(comparison.window_shift(), 0);
  EXPECT_EQ(comparison.edges(), 0);
}

// The network's endpoints are far off.
TEST_P(ComparedNetworkTest, FindsASpoiledNetwork) {
  SmallNetwork spoiled = *built_in_small_network("albedo").value();
  for (SubmodeNetwork& submode : spoiled.submodes)
    for (int k = 0; k < 6; k++) submode.layers.back().biases[size_t(k)] += 0.5f;
  Picture8 small = noise(40, 32, false);
  for (size_t i = 3; i < small.texels.size(); i += 4) small.texels[i] = char(255);
  for (const bool is_spoiled : {false, true}) {
    const auto made = run_units(
        device(), texels_format(40, 32), {small.texels},
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          Upsampling task{.source = {BLOCKS_NONE, 40, 32}};
          task.small = is_spoiled ? std::make_shared<const SmallNetwork>(spoiled)
                                  : built_in_small_network("albedo").value();
          task.is_checked = true;
          ASSIGN_OR_RETURN(const std::vector<Port> outputs, add_upsampling(context, network, source, task));
          return std::vector<Port>{outputs.back()};
        });
    TextureComparison comparison(40, 32);
    comparison.add(std::as_bytes(std::span(made[0].at(0))));
    EXPECT_EQ(comparison.fault().has_value(), is_spoiled) << comparison.fault().value_or("");
  }
}

TEST(BlockEdgesTest, AreThoseOfTheNode) {
  const Picture8 picture = noise(30, 21, true);
  EXPECT_NEAR(block_edges_of(picture.texels, 30, 21).ratio(), plain_ratio(picture), 1e-9);
  EXPECT_EQ(block_edges_of(noise(3, 3, true).texels, 3, 3).ratio(), 1);
}

}  // namespace
}  // namespace weft::filters::texture
