// SPDX-License-Identifier: Apache-2.0
// Compares convolution by FFT with a direct sum in float64, on every device: lengths, radices, and
// lines in parts.
#include <utility>

#include "server/filters/bloom/fft_plan.h"
#include "tests/server/filters/bloom/convolution_fixture.h"

namespace weft::filters::bloom {
namespace {

using ConvolutionLines = ConvolutionBench;

// Each radix is the first, a middle and the last pass on both axes: every length is used once along
// x and once along y.
TEST_P(ConvolutionLines, EveryRadixGivesTheDirectSum) {
  const std::vector<int> few = {16, 21, 30, 49, 81, 100, 112, 243, 512, 1000};
  const std::vector<int> all = {16,  18,  20,  21,  24,  25,  27,  28,  30,  32,   35,  36,  40,  42,
                                45,  48,  49,  50,  54,  56,  60,  63,  64,  70,   72,  75,  80,  81,
                                84,  90,  96,  98,  100, 105, 112, 120, 125, 126,  128, 135, 140, 144,
                                150, 160, 162, 175, 180, 210, 240, 243, 250, 256,  343, 375, 448, 486,
                                512, 625, 686, 720, 729, 768, 800, 945, 972, 1000, 1024};
  for (const int points : is_slow() ? few : all) {
    for (const bool has_channels : {false, true}) {
      const int side = points - 5;
      const Kernel kernel = sparse_kernel(11, 11, has_channels, uint32_t(points));
      expect_direct(random_image(side, 12, 1), kernel, {.sides = {points, 18}});
      expect_direct(random_image(12, side, 2), kernel, {.sides = {20, points}});
    }
  }
}

TEST_P(ConvolutionLines, LongLinesGiveTheDirectSum) {
  const bool is_small = device_->info().shared_memory_bytes < 64 * 1024;
  const std::vector<int> lengths =
      is_slow() ? std::vector{1350, 4096} : std::vector{1296, 1350, 2048, 2187, 4096};
  for (const int points : lengths) {
    const Kernel kernel = sparse_kernel(101, 9, true, uint32_t(points));
    expect_direct(random_image(points - 50, 20, 3), kernel, {.sides = {points, 24}});
    if (is_small && points > 2048) continue;
    const Kernel tall = sparse_kernel(9, 101, true, uint32_t(points));
    expect_direct(random_image(20, points - 50, 4), tall, {.sides = {24, points}});
  }
}

// Both axes or one of them are divided into each number of parts.
TEST_P(ConvolutionLines, LinesInPartsGiveTheDirectSum) {
  const Image image = random_image(61, 45, 6);
  for (const bool has_channels : {false, true}) {
    const Kernel kernel{random_image(9, 12, 7), 3, 7, has_channels};
    for (const auto& [x, y] : {std::pair{2, 1}, {1, 3}, {3, 2}, {4, 5}})
      for (const Padding padding : {Padding::kZero, Padding::kClamp, Padding::kMirror})
        if (x < 4 || !is_slow())
          expect_direct(image, kernel, {.shape = {.padding = padding}, .parts_x = x, .parts_y = y});
  }
  if (is_slow()) return;  // Each number of parts takes one or two seconds to compile.
  const Kernel kernel = sparse_kernel(11, 11, true, 8);
  expect_direct(random_image(150, 120, 9), kernel, {.parts_x = 7, .parts_y = 8});
  expect_direct(random_image(120, 150, 9), kernel, {.parts_x = 8, .parts_y = 7});
  expect_direct(random_image(50, 64, 10), kernel, {.is_circular = true, .parts_x = 2, .parts_y = 4});
}

// The lines have more points than a block can hold, along x and along y.
TEST_P(ConvolutionLines, VeryLongLinesGiveTheDirectSum) {
  // A block of a Vulkan device in software holds 4096 points. The line then has two parts,
  // and their kernels are compiled.
  const int side = is_slow() ? 5000 : 16000, size = is_slow() ? 501 : 12001;
  for (const bool has_channels : {false, true}) {
    expect_direct(random_image(side, 3, 12), sparse_kernel(size, 5, has_channels, 11));
    if (!is_slow()) expect_direct(random_image(3, side, 14), sparse_kernel(5, size, has_channels, 13));
  }
}

TEST_P(ConvolutionLines, AnyNumberOfColumnsABlockGivesTheSame) {
  const Image image = random_image(40, 40, 5);
  for (const auto layout : layouts()) {
    if (layout.value_or(layout_of(device_->info())) == PointLayout::kWide) continue;
    for (const bool has_channels : {false, true}) {
      const Kernel kernel{random_image(9, 9, 6), 4, 4, has_channels};
      for (const int lines_log2 : {0, 1, 2})
        expect_direct(image, kernel, {.layout = layout, .change = [&](ConvolutionPlan& plan) {
                                        plan.columns.lines = lines_log2;
                                      }});
    }
  }
}

TEST_P(ConvolutionLines, AnyOrderOfRadicesGivesTheDirectSum) {
  const Kernel kernel{random_image(9, 9, 7), 4, 4, true};
  for (const std::vector<int>& radices :
       {std::vector{9, 8, 4}, {4, 9, 8, 2}, {3, 4, 5, 7}, {2, 2, 2, 2, 2, 2}, {8, 7}}) {
    const FftPlan line = plan_of(radices, radices_of(device_->info())).value();
    const auto along = [&](LineAxis axis) {
      return [&, axis](ConvolutionPlan& plan) {
        if (axis == LineAxis::kColumns)
          plan.columns = plan_columns(line, plan.layout, device_->info()).value();
        else
          plan.rows = plan.rows_back = plan_rows(line, plan.layout, device_->info()).value();
      };
    };
    expect_direct(random_image(40, 20, 8), kernel,
                  {.sides = {line.points, 35}, .change = along(LineAxis::kRows)});
    expect_direct(random_image(20, 40, 9), kernel,
                  {.sides = {35, line.points}, .change = along(LineAxis::kColumns)});
  }
}

WEFT_ON_EVERY_DEVICE(ConvolutionLines);

}  // namespace
}  // namespace weft::filters::bloom
