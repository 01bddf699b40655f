// SPDX-License-Identifier: Apache-2.0
// Compares the convolution of red, green and blue without alpha with a direct sum in float64, on
// every device.
#include <fmt/format.h>

#include "tests/server/filters/bloom/convolution_fixture.h"

namespace weft::filters::bloom {
namespace {

using ConvolutionRgb = ConvolutionBench;

// Two columns of blue are transformed together, in pieces of eight. The sizes have every remainder.
TEST_P(ConvolutionRgb, IsTheDirectSumAtAnySize) {
  for (const auto& [width, height] : {std::pair{1, 1},
                                      {1, 40},
                                      {37, 1},
                                      {17, 13},
                                      {16, 16},
                                      {31, 32},
                                      {48, 47},
                                      {35, 34},
                                      {42, 23},
                                      {59, 3}})
    for (const bool has_channels : {false, true})
      for (const auto layout : layouts()) {
        const Image image = random_image(width, height, uint32_t(width * 100 + height));
        for (const auto& [w, h] : {std::pair{1, 1}, {5, 7}, {8, 6}, {61, 50}})
          expect_direct(image, {random_image(w, h, 7), w / 2, h / 2, has_channels}, {.layout = layout});
      }
}

TEST_P(ConvolutionRgb, IsTheDirectSumWhateverIsOutside) {
  const Image image = half_image(random_image(45, 30, 12));
  for (const Padding padding : {Padding::kZero, Padding::kClamp, Padding::kMirror})
    for (const bool is_half : {false, true})
      for (const bool has_channels : {false, true})
        expect_direct(image, {random_image(9, 7, 13), 4, 3, has_channels},
                      {.shape = {.padding = padding}, .has_half_source = is_half});
  expect_direct(random_image(48, 30, 14), {random_image(48, 30, 15), 20, 3, true}, {.is_circular = true});
}

// Each radix is the first pass along x, and the last one, which combines rows with their
// mirrors.
TEST_P(ConvolutionRgb, EveryRadixGivesTheDirectSum) {
  for (const int points : {16, 18, 21, 24, 25, 28, 30, 35, 49, 50, 63, 81, 100, 112, 243, 1000}) {
    const Kernel kernel = sparse_kernel(11, 11, points % 2 == 0, uint32_t(points));
    expect_direct(random_image(points - 5, 12, 1), kernel, {.sides = {points, 20}});
    expect_direct(random_image(12, points - 5, 2), kernel, {.sides = {20, points}});
  }
}

TEST_P(ConvolutionRgb, EveryFixedLineGivesTheDirectSum) {
  const Kernel wide = sparse_kernel(101, 9, true, 1), tall = sparse_kernel(9, 101, false, 2);
  for (const LinePass pass : {LinePass::kRows, LinePass::kRowsBack, LinePass::kColumns})
    for (const FixedLine& line : fixed_lines(pass)) {
      SCOPED_TRACE(fmt::format("pass {} {}", int(pass), line.variant));
      const int points = line.plan.points;
      if (pass == LinePass::kColumns) {
        expect_direct(random_image(9, points - 50, 4), tall,
                      {.sides = {18, points}, .change = with_line(pass, line)});
      } else {
        for (const bool is_half : {false, true})
          expect_direct(half_image(random_image(points - 50, 13, 3)), wide,
                        {.has_half_source = is_half, .sides = {points, 18}, .change = with_line(pass, line)});
      }
    }
}

TEST_P(ConvolutionRgb, LinesInPartsGiveTheDirectSum) {
  const Image image = random_image(61, 45, 6);
  for (const bool has_channels : {false, true})
    expect_direct(image, {random_image(9, 12, 7), 3, 7, has_channels}, {.parts_x = 2, .parts_y = 3});
}

// The result has the same bytes in portions and in batches.
TEST_P(ConvolutionRgb, PortionsAndBatchesGiveTheSameBytes) {
  const std::vector<Image> images = {random_image(61, 45, 31), random_image(61, 45, 32)};
  for (const auto layout : layouts())
    for (const bool has_channels : {false, true}) {
      const Kernel kernel{random_image(9, 8, 33), 4, 3, has_channels};
      Options options{.layout = layout};
      const auto whole = convolve(images, kernel, options);
      ASSERT_THAT(whole, IsOk());
      const auto alone = convolve({images[1]}, kernel, options);
      ASSERT_THAT(alone, IsOk());
      EXPECT_TRUE(std::equal(alone->begin(), alone->end(), whole->end() - ptrdiff_t(alone->size())));
      for (options.portions = 2; options.portions <= 64; options.portions *= 2) {
        const auto result = convolve(images, kernel, options);
        ASSERT_THAT(result, IsOk());
        EXPECT_EQ(*result, *whole) << options.portions << " portions";
      }
    }
}

// Memory between the passes, and the operations on columns, are little more than three quarters of
// those for four channels.
TEST_P(ConvolutionRgb, AQuarterIsSaved) {
  const Options options{.shape = {.width = 250, .height = 200}, .sides = {256, 216}};
  const auto three = make(options);
  ASSERT_THAT(three, IsOk());
  // The CPU's own kernels use four channels.
  const bool saves = device_->info().kind != device::BackendKind::kCpu;
  const double four_bytes = 8.0 * 200 * 256 * 16;
  const double four_operations = 2 * 5 * (2 * 200 * 256 * std::log2(256) + 2 * 256 * 216 * std::log2(216));
  EXPECT_NEAR(double((*three)->scratch_bytes(8)) / four_bytes, saves ? 0.75 : 1, 0.05);
  EXPECT_LE((*three)->operations_per_unit(), (saves ? 0.9 : 1) * four_operations);
}

WEFT_ON_EVERY_DEVICE(ConvolutionRgb);

}  // namespace
}  // namespace weft::filters::bloom
