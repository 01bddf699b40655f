// SPDX-License-Identifier: Apache-2.0
// Which lengths are taken, by tables of what lines take: those of a test, and those that are built in.
#include "server/filters/bloom/length_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/filters/bloom/fft_plan.h"

namespace weft::filters::bloom {
namespace {

using testing::SizeIs;

constexpr std::string_view kText =
    "# Measured on nothing.\n"
    "weft lengths 1\n"
    "device cuda compute capability 9.0\n"
    "lengths 4\n"
    "64 100 50\n"
    "72 90 70\n"
    "\n"
    "80 200 40.5\n"
    "100 300 200\n";

LengthTable table() { return parse_length_table(kText).value(); }

ConvolutionShape shape_of(int width, int height, int reach) {
  return {.width = width, .height = height, .reach_x = reach, .reach_y = reach};
}

TEST(LengthTableTest, ATextIsATableAndBack) {
  const LengthTable read = table();
  EXPECT_EQ(read.kind, "cuda");
  EXPECT_EQ(read.mark, "compute capability 9.0");
  ASSERT_THAT(read.lines, SizeIs(4));
  EXPECT_EQ(read.lines[2].points, 80);
  EXPECT_EQ(read.lines[2].row_ns, 200);
  EXPECT_EQ(read.lines[2].column_ns, 40.5);
  const auto again = parse_length_table(to_text(read));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(to_text(*again), to_text(read));
}

TEST(LengthTableTest, ADamagedTextIsRefused) {
  const auto changed = [](std::string_view from, std::string_view to) {
    std::string text(kText);
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const auto& [text, says] : {
           std::pair{std::string(), "is not 'weft lengths 1'"},
           {changed("lengths 1", "lengths 2"), "Line 2 of a table of lengths is wrong: it is not 'weft"},
           {changed("device cuda", "devices cuda"), "Line 3"},
           {changed("cuda", "abacus"), "no such kind"},
           {changed("cuda compute capability 9.0", "cuda"), "Line 3"},
           {changed("cuda compute capability 9.0", "cuda "), "does not name"},
           {changed("lengths 4", "lengths"), "Line 4"},
           {changed("lengths 4", "lengths -4"), "Line 4"},
           {changed("lengths 4", "lengths 5"), "there are 4 lengths of 5"},
           {changed("lengths 4", "lengths 3"), "more than 3 lengths"},
           {changed("72 90 70", "72 90"), "Line 6 of a table of lengths is wrong: it is not three numbers"},
           {changed("72 90 70", "72 90 70 3"), "three numbers"},
           {changed("72 90 70", "72 9o 70"), "three numbers"},
           {changed("72 90 70", "64 90 70"), "do not rise"},
           {changed("72 90 70", "66 90 70"), "prime factor above 7"},
           {changed("64 100", "8 100"), "out of range"},
           {changed("72 90 70", "72 0 70"), "not above 0"},
           {changed("72 90 70", "72 90 -1"), "not above 0"},
           {changed("72 90 70", "72 nan 70"), "not above 0"},
           {changed("72 90 70", "72 90 inf"), "not above 0"},
           {std::string(kText.substr(0, kText.size() - 5)), "three numbers"},
       })
    EXPECT_THAT(parse_length_table(text), StatusIs(StatusCode::kInvalidArgument, says)) << text;
}

TEST(LengthTableTest, TheFastestSidesAreTaken) {
  // Rows: 72 points are faster than 64, until there are few rows and many columns.
  EXPECT_EQ(fastest_sides(table(), shape_of(60, 60, 4)), (TransformSides{72, 80}));
  EXPECT_EQ(fastest_sides(table(), shape_of(60, 4, 4)), (TransformSides{64, 80}));
  EXPECT_EQ(fastest_sides(table(), shape_of(60, 60, 20)), (TransformSides{80, 80}));
  EXPECT_EQ(fastest_sides(table(), shape_of(70, 90, 4)), (TransformSides{80, 100}));
  EXPECT_EQ(fastest_sides(table(), shape_of(96, 96, 4)), (TransformSides{100, 100}));
  EXPECT_EQ(fastest_sides(table(), shape_of(97, 60, 4)), std::nullopt);
  EXPECT_EQ(fastest_sides(table(), shape_of(60, 97, 4)), std::nullopt);
}

// Rows that continue the image are transformed forward: with many of them longer columns do not pay.
TEST(LengthTableTest, RowsOutsideTheImageCountWhereItIsContinued) {
  LengthTable dear = table();
  for (LengthTable::Line& line : dear.lines) line.row_ns *= 10;
  ConvolutionShape shape = shape_of(56, 56, 4);
  EXPECT_EQ(fastest_sides(dear, shape), (TransformSides{72, 80}));
  shape.padding = Padding::kClamp;
  EXPECT_EQ(fastest_sides(dear, shape), (TransformSides{72, 64}));
}

TEST(LengthTableTest, WhatTheShapeSaysOfItsLinesStays) {
  const auto changed = [](const auto& change) {
    ConvolutionShape shape = shape_of(60, 60, 4);
    change(shape);
    return fastest_sides(table(), shape);
  };
  EXPECT_NE(changed([](auto&) {}), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.is_circular = true; }), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.is_complex = true; }), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.is_portable = true; }), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.is_modelled = true; }), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.points_x = 81; }), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.points_y = 81; }), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.parts_x = 2; }), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.radices_y = {9, 9}; }), std::nullopt);
  EXPECT_EQ(changed([](auto& shape) { shape.columns_variant = "1"; }), std::nullopt);
}

TEST(LengthTableTest, ADeviceIsKnownByItsKindAndByWordsOfItsName) {
  const std::vector<LengthTable> tables = {table()};
  device::DeviceInfo info;
  info.kind = device::BackendKind::kCuda;
  info.driver = "CUDA driver 13.0, compute capability 9.0";
  EXPECT_EQ(find_length_table(tables, info), tables.data());
  EXPECT_EQ(empty_length_table(info).kind, "cuda");
  EXPECT_EQ(empty_length_table(info).mark, "compute capability 9.0");
  info.driver = "CUDA driver 13.0, compute capability 8.6";
  EXPECT_EQ(find_length_table(tables, info), tables.data()) << "a GPU has that of its kind";
  info.is_software = true;
  EXPECT_EQ(find_length_table(tables, info), nullptr);
  info.is_software = false;
  info.driver = "CUDA driver 13.0, compute capability 9.0";
  info.kind = device::BackendKind::kVulkan;
  EXPECT_EQ(find_length_table(tables, info), nullptr);
  info.driver = "NVIDIA 580.65";
  EXPECT_EQ(empty_length_table(info).kind, "vulkan");
  EXPECT_EQ(empty_length_table(info).mark, "NVIDIA");
}

TEST(LengthTableTest, EveryBuiltInTableIsWhole) {
  ASSERT_FALSE(length_table_texts().empty());
  EXPECT_THAT(length_tables(), SizeIs(length_table_texts().size())) << "one is damaged";
  for (const std::string_view text : length_table_texts()) {
    const auto table = parse_length_table(text);
    ASSERT_THAT(table, IsOk());
    EXPECT_EQ(table->lines.front().points, kShortestLine) << table->mark;
    size_t lengths = 0;
    for (int points = kShortestLine; points <= table->lines.back().points; points++)
      lengths += plan_line(points).ok();
    EXPECT_EQ(table->lines.size(), lengths) << "some are missing for " << table->mark;
  }
}

// The cost that the choice goes by.
double predicted_ns(const LengthTable& table, const ConvolutionShape& shape, const TransformSides& sides) {
  const auto line = [&](int points) {
    return *std::ranges::lower_bound(table.lines, points, {}, &LengthTable::Line::points);
  };
  return shape.height * line(sides.x).row_ns + sides.x * line(sides.y).column_ns;
}

// Of short lines much goes into what does not depend on their length; and on GPUs some, from 512 points on, have kernels of their own,
// several times as fast as those for any.
double most(const LengthTable& table, int n) {
  if (table.kind != "cpu") return std::max(512.0, 4.0 * n);
  return n < 256 ? 2.0 * std::max(n, kShortestLine) : 1.5 * n;
}

TEST(LengthTableTest, BuiltInTablesGiveSidesThatAreLongEnoughAndNotMuchLonger) {
  for (const LengthTable& table : length_tables()) {
    const int longest = table.lines.back().points;
    double last_ns = 0;
    for (int n = kShortestLine; n <= longest; n += 1 + n / 37) {
      ConvolutionShape shape = shape_of(n, 100, 0);
      const auto sides = fastest_sides(table, shape);
      ASSERT_TRUE(sides.has_value()) << n;
      EXPECT_GE(sides->x, n);
      EXPECT_LE(sides->x, most(table, n)) << table.mark;
      EXPECT_GE(sides->y, 100);
      EXPECT_GE(predicted_ns(table, shape, *sides), last_ns) << "a longer row takes less, " << n;
      last_ns = predicted_ns(table, shape, *sides);
      const auto columns = fastest_sides(table, shape_of(100, n, 0));
      ASSERT_TRUE(columns.has_value()) << n;
      EXPECT_GE(columns->y, n);
      EXPECT_LE(columns->y, most(table, n)) << table.mark;
    }
  }
}

TEST(LengthTableTest, AConvolutionTakesItsDevicesTable) {
  const auto device = device::open_device("cpu");
  ASSERT_THAT(device, IsOk());
  const LengthTable* const table = find_length_table(length_tables(), (*device)->info());
  for (const auto& [width, height, reach] :
       {std::tuple{100, 60, 17}, {333, 211, 40}, {1000, 37, 3}, {411, 1024, 100}}) {
    ConvolutionShape shape = shape_of(width, height, reach);
    const auto measured = Convolution::make(**device, shape);
    shape.is_modelled = true;
    const auto modelled = Convolution::make(**device, shape);
    ASSERT_THAT(measured, IsOk());
    ASSERT_THAT(modelled, IsOk());
    const TransformSides model = {cheapest_length(width + reach).value(),
                                  cheapest_length(height + reach).value()};
    EXPECT_EQ((TransformSides{(*modelled)->shape().points_x, (*modelled)->shape().points_y}), model);
    EXPECT_EQ((TransformSides{(*measured)->shape().points_x, (*measured)->shape().points_y}),
              table != nullptr ? fastest_sides(*table, shape_of(width, height, reach)) : model);
  }
}

}  // namespace
}  // namespace weft::filters::bloom
