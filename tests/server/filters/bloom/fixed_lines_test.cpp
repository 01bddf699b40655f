// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/fixed_lines.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>

namespace weft::filters::bloom {
namespace {

constexpr LinePass kPasses[] = {LinePass::kRows, LinePass::kColumns, LinePass::kRowsBack};
constexpr SharedMemory kLarge{227 << 10, 228 << 10};  // H200 through CUDA
constexpr SharedMemory kSmall{48 << 10, 96 << 10};    // H200 through Vulkan

size_t bytes_at_once(const FixedLine& line) { return line.shared_bytes * size_t(line.resident); }

TEST(FixedLines, AreOfTheShortestLengthThatIsEnough) {
  for (const LinePass pass : kPasses) {
    EXPECT_EQ(shortest_fixed_line(pass, 1, kLarge)->plan.points, 512);
    EXPECT_EQ(shortest_fixed_line(pass, 512, kLarge)->plan.points, 512);
    EXPECT_EQ(shortest_fixed_line(pass, 513, kLarge)->plan.points, 729);
    EXPECT_EQ(shortest_fixed_line(pass, 1 << 20, kLarge), nullptr);
    EXPECT_EQ(shortest_fixed_line(pass, 1, {1 << 10, 2 << 10}), nullptr) << "no block fits";
  }
}

TEST(FixedLines, FillAMultiprocessorWithTheBlocksThatTheyAreMeantFor) {
  for (const SharedMemory& memory : {kLarge, kSmall}) {
    for (const LinePass pass : kPasses) {
      for (const FixedLine& wanted : all_fixed_lines(pass)) {
        const FixedLine* const chosen = shortest_fixed_line(pass, wanted.plan.points, memory);
        if (wanted.is_spread || wanted.shared_bytes > memory.block_bytes) continue;
        ASSERT_NE(chosen, nullptr) << wanted.variant;
        EXPECT_FALSE(chosen->is_spread) << chosen->variant;
        EXPECT_LE(chosen->shared_bytes, memory.block_bytes) << chosen->variant;
        if (chosen->plan.points != wanted.plan.points || bytes_at_once(wanted) > memory.unit_bytes) continue;
        EXPECT_LE(bytes_at_once(*chosen), memory.unit_bytes)
            << chosen->variant << " beside " << wanted.variant;
        EXPECT_GE(bytes_at_once(*chosen), bytes_at_once(wanted))
            << chosen->variant << " and " << wanted.variant;
      }
    }
  }
}

// The blocks of an H200 share 100 KiB through Vulkan and 228 KiB through CUDA.
TEST(FixedLines, AreOthersWhereMemoryIsSmall) {
  const std::vector<int> of_columns = {512, 1024, 1296, 2048}, of_rows = {1296, 2048};
  for (const LinePass pass : kPasses)
    for (const int points : pass == LinePass::kColumns ? of_columns : of_rows)
      EXPECT_NE(shortest_fixed_line(pass, points, kLarge), shortest_fixed_line(pass, points, kSmall))
          << points;
}

TEST(FixedLines, SpreadLinesHaveTheRadicesOfTheUsualOnes) {
  for (const LinePass pass : kPasses) {
    for (const FixedLine& line : all_fixed_lines(pass)) {
      const FixedLine* const spread = spread_line(pass, line, kLarge.block_bytes);
      if (spread == nullptr) continue;
      EXPECT_EQ(spread->plan.radices, line.plan.radices) << line.variant;
      EXPECT_EQ(spread->planes, line.planes) << line.variant;
    }
  }
  EXPECT_NE(
      spread_line(LinePass::kRows, *shortest_fixed_line(LinePass::kRows, 512, kLarge), kLarge.block_bytes),
      nullptr);
}

// Permuted points need no padding in shared memory.
TEST(FixedLines, KnowTheRoomOfPermutedPoints) {
  const auto lines = all_fixed_lines(LinePass::kColumns);
  const auto line = std::ranges::find(lines, "2_8_16_16_1_36_63_0_128_3_0", &FixedLine::variant);
  ASSERT_NE(line, lines.end());
  EXPECT_EQ(line->shared_bytes, 2048u * 16);
}

}  // namespace
}  // namespace weft::filters::bloom
