// SPDX-License-Identifier: Apache-2.0
// Tests the frames for tuning: each is different, and they are the same in each run.
#include "server/worker/device/drawn_frames.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

// Writes a frame into memory with rows that are wider than the picture. The remaining bytes stay
// 0xEE.
std::vector<std::byte> written(DrawnFrames& frames, const graph::PortFormat& format, int64_t number) {
  constexpr int kStride = 64, kRows = 24;
  std::vector<std::byte> memory(size_t{3} * kStride * kRows, std::byte{0xEE});
  graph::StagedUnit staged;
  for (int plane = 0; plane < 3; plane++) {
    staged.data[plane] = memory.data() + ptrdiff_t(plane) * kStride * kRows;
    staged.stride_bytes[plane] = kStride;
  }
  frames.write(format, number, staged);
  return memory;
}

TEST(DrawnFrames, RepeatAndMove) {
  const auto eight = graph::PortFormat::picture({48, 24, Chroma::k420, 8});
  const auto ten = graph::PortFormat::picture({24, 24, Chroma::k420, 10});
  DrawnFrames frames, others;
  const auto first = written(frames, eight, 0);
  EXPECT_NE(first, written(frames, eight, 1));
  EXPECT_EQ(first, written(frames, eight, DrawnFrames::kPeriod));
  // A frame does not depend on earlier frames.
  EXPECT_EQ(written(frames, ten, 2), written(others, ten, 2));
  EXPECT_EQ(first, written(frames, eight, 0));
}

TEST(DrawnFrames, WriteTheRowsOfPlanesAlone) {
  DrawnFrames frames;
  const auto memory = written(frames, graph::PortFormat::picture({48, 24, Chroma::k420, 8}), 0);
  const auto row = [&](int plane, int y) { return memory.begin() + (plane * 24 + y) * 64; };
  const auto is_left = [](std::byte each) { return each == std::byte{0xEE}; };
  for (int y = 0; y < 24; y++) EXPECT_TRUE(std::all_of(row(0, y) + 48, row(0, y) + 64, is_left)) << y;
  EXPECT_FALSE(std::all_of(row(1, 11), row(1, 11) + 24, is_left));
  EXPECT_TRUE(std::all_of(row(1, 11) + 24, row(1, 11) + 64, is_left));
  EXPECT_TRUE(std::all_of(row(1, 12), row(1, 12) + 64, is_left));
}

}  // namespace
}  // namespace weft::worker
