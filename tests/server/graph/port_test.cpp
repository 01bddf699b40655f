// SPDX-License-Identifier: Apache-2.0
#include "server/graph/port.h"

#include <set>

#include <gtest/gtest.h>

namespace weft::graph {
namespace {

TEST(TensorShape, ElementsOfARowlessTensorFollowEachOther) {
  const TensorShape shape{.width = 5, .height = 3, .channels = 4, .type = ElementType::kInt16};
  EXPECT_EQ(shape.bytes(), 5u * 3 * 4 * 2);
  EXPECT_EQ(shape.offset(0, 0, 1), 2u);
  EXPECT_EQ(shape.offset(1, 0, 0), 8u);
  EXPECT_EQ(shape.offset(0, 1, 0), 40u);
}

// Each element has its own position, and the elements of a tile are adjacent.
TEST(TensorShape, TilesHoldTheirPointsTogether) {
  const TensorShape shape{.width = 10,
                          .height = 7,
                          .channels = 3,
                          .type = ElementType::kFloat,
                          .tile_width = 4,
                          .tile_height = 2};
  EXPECT_EQ(shape.bytes(), 12u * 8 * 3 * 4) << "whole tiles at the edges";
  const size_t tile_bytes = 4 * 2 * 3 * 4;
  std::set<size_t> offsets;
  for (int y = 0; y < shape.height; y++)
    for (int x = 0; x < shape.width; x++)
      for (int channel = 0; channel < shape.channels; channel++) {
        const size_t offset = shape.offset(x, y, channel);
        EXPECT_TRUE(offsets.insert(offset).second);
        EXPECT_LE(offset + 4, shape.bytes());
        EXPECT_EQ(offset / tile_bytes, size_t(y / 2 * 3 + x / 4));
      }
}

TEST(PortFormat, TensorsAreJoinedByTheirShape) {
  const TensorShape shape{.width = 8, .height = 8, .channels = 16, .type = ElementType::kInt8};
  TensorShape tiled = shape;
  tiled.tile_width = tiled.tile_height = 8;
  EXPECT_EQ(PortFormat::of(shape), PortFormat::of(shape));
  EXPECT_NE(PortFormat::of(shape), PortFormat::of(tiled)) << "as many bytes in another order";
  EXPECT_EQ(PortFormat::of(shape).text(), "8x8x16 int8");
  EXPECT_EQ(PortFormat::of(tiled).text(), "8x8x16 int8 in tiles of 8x8");
  EXPECT_EQ(PortLayout::of(PortFormat::of(shape)).unit_bytes, 1024u);
}

}  // namespace
}  // namespace weft::graph
