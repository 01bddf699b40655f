// SPDX-License-Identifier: Apache-2.0
// Tests the choice of lengths by tables of measured times: by a table of the test, and by the
// built-in tables.
#include "server/filters/bloom/length_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/filters/bloom/convolution.h"
#include "server/filters/bloom/fft_plan.h"

namespace weft::filters::bloom {
namespace {

constexpr int kLongest = kLongestLine;
constexpr LengthTable::Line kLines[] = {{64, 100, 50}, {72, 90, 70}, {80, 200, 40.5}, {100, 300, 200}};
constexpr LengthTable kTable{device::BackendKind::kCuda, "compute capability 9.0", kLines};

ConvolutionShape shape_of(int width, int height, int reach) {
  return {.width = width, .height = height, .reach_x = reach, .reach_y = reach};
}

TEST(LengthTableTest, TheFastestSidesAreTaken) {
  // For rows, 72 points are faster than 64, unless there are few rows and many columns.
  EXPECT_EQ(fastest_sides(kTable, shape_of(60, 60, 4), kLongest), (TransformSides{72, 80}));
  EXPECT_EQ(fastest_sides(kTable, shape_of(60, 4, 4), kLongest), (TransformSides{64, 80}));
  EXPECT_EQ(fastest_sides(kTable, shape_of(60, 60, 20), kLongest), (TransformSides{80, 80}));
  EXPECT_EQ(fastest_sides(kTable, shape_of(70, 90, 4), kLongest), (TransformSides{80, 100}));
  EXPECT_EQ(fastest_sides(kTable, shape_of(96, 96, 4), kLongest), (TransformSides{100, 100}));
  EXPECT_EQ(fastest_sides(kTable, shape_of(70, 90, 4), 99), std::nullopt);
  EXPECT_EQ(fastest_sides(kTable, shape_of(97, 60, 4), kLongest), std::nullopt);
  EXPECT_EQ(fastest_sides(kTable, shape_of(60, 97, 4), kLongest), std::nullopt);
}

// Rows that continue the image are transformed forward. With many of these rows longer columns are
// slower.
TEST(LengthTableTest, RowsOutsideTheImageCountWhereItIsContinued) {
  std::vector<LengthTable::Line> lines(std::begin(kLines), std::end(kLines));
  for (LengthTable::Line& line : lines) line.row_ns *= 10;
  const LengthTable dear{kTable.kind, kTable.mark, lines};
  ConvolutionShape shape = shape_of(56, 56, 4);
  EXPECT_EQ(fastest_sides(dear, shape, kLongest), (TransformSides{72, 80}));
  shape.padding = Padding::kClamp;
  EXPECT_EQ(fastest_sides(dear, shape, kLongest), (TransformSides{72, 64}));
}

TEST(LengthTableTest, ADeviceIsKnownByItsKindAndByWordsOfItsName) {
  const std::vector<LengthTable> tables = {kTable};
  device::DeviceInfo info;
  info.kind = device::BackendKind::kCuda;
  info.driver = "CUDA driver 13.0, compute capability 9.0";
  EXPECT_EQ(find_length_table(tables, info), tables.data());
  info.driver = "CUDA driver 13.0, compute capability 8.6";
  EXPECT_EQ(find_length_table(tables, info), tables.data()) << "a GPU has that of its kind";
  info.is_software = true;
  EXPECT_EQ(find_length_table(tables, info), nullptr);
  info.is_software = false;
  info.driver = "CUDA driver 13.0, compute capability 9.0";
  info.kind = device::BackendKind::kVulkan;
  EXPECT_EQ(find_length_table(tables, info), nullptr);
}

TEST(LengthTableTest, EveryBuiltInTableIsWhole) {
  ASSERT_FALSE(length_tables().empty());
  for (const LengthTable& table : length_tables()) {
    size_t lengths = 0;
    for (int points = kShortestLine; points <= table.lines.back().points; points++) {
      if (!plan_line(points).ok()) continue;
      ASSERT_LT(lengths, table.lines.size());
      EXPECT_EQ(table.lines[lengths].points, points) << table.mark;
      EXPECT_GT(table.lines[lengths].row_ns, 0) << table.mark << " " << points;
      EXPECT_GT(table.lines[lengths].column_ns, 0) << table.mark << " " << points;
      lengths++;
    }
    EXPECT_EQ(table.lines.size(), lengths) << table.mark;
  }
}

// Returns the cost that determines the choice.
double predicted_ns(const LengthTable& table, const ConvolutionShape& shape, const TransformSides& sides) {
  const auto line = [&](int points) {
    return *std::ranges::lower_bound(table.lines, points, {}, &LengthTable::Line::points);
  };
  return shape.height * line(sides.x).row_ns + sides.x * line(sides.y).column_ns;
}

// From 512 points on some lengths have their own kernels, which are several times as fast as the
// general kernels.
double most(int n) { return std::max(512.0, 4.0 * n); }

TEST(LengthTableTest, BuiltInTablesGiveSidesThatAreLongEnoughAndNotMuchLonger) {
  for (const LengthTable& table : length_tables()) {
    const int longest = table.lines.back().points;
    double last_ns = 0;
    for (int n = kShortestLine; n <= longest; n += 1 + n / 37) {
      ConvolutionShape shape = shape_of(n, 100, 0);
      const auto sides = fastest_sides(table, shape, kLongest);
      ASSERT_TRUE(sides.has_value()) << n;
      EXPECT_GE(sides->x, n);
      EXPECT_LE(sides->x, most(n)) << table.mark;
      EXPECT_GE(sides->y, 100);
      EXPECT_GE(predicted_ns(table, shape, *sides), last_ns) << "a longer row takes less, " << n;
      last_ns = predicted_ns(table, shape, *sides);
      const auto columns = fastest_sides(table, shape_of(100, n, 0), kLongest);
      ASSERT_TRUE(columns.has_value()) << n;
      EXPECT_GE(columns->y, n);
      EXPECT_LE(columns->y, most(n)) << table.mark;
    }
  }
}

TEST(LengthTableTest, ADeviceWithoutATableTakesTheCheapestLengths) {
  const auto device = device::open_device("cpu");
  ASSERT_THAT(device, IsOk());
  ASSERT_EQ(find_length_table(length_tables(), (*device)->info()), nullptr);
  for (const auto& [width, height, reach] :
       {std::tuple{100, 60, 17}, {333, 211, 40}, {1000, 37, 3}, {411, 1024, 100}}) {
    const auto convolution = Convolution::make(**device, shape_of(width, height, reach));
    ASSERT_THAT(convolution, IsOk());
    EXPECT_EQ((*convolution)->sides(), (TransformSides{cheapest_length(width + reach).value(),
                                                       cheapest_length(height + reach).value()}));
  }
}

}  // namespace
}  // namespace weft::filters::bloom
