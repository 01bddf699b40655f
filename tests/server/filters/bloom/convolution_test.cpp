// SPDX-License-Identifier: Apache-2.0
// Compares convolution by FFT with a direct sum in float64, on the CPU and on every other device of
// the machine: images, kernels and borders.
#include "tests/server/filters/bloom/convolution_fixture.h"

namespace weft::filters::bloom {
namespace {

using ConvolutionTest = ConvolutionBench;

TEST_P(ConvolutionTest, IsTheDirectSumAtOddAndEvenSizes) {
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 40}, {37, 1}, {17, 13}, {16, 16}, {31, 32}, {48, 47}}) {
    for (const bool has_channels : {false, true}) {
      const Image image = random_image(width, height, uint32_t(width * 100 + height));
      for (const auto& [w, h] : {std::pair{1, 1}, {5, 7}, {8, 6}, {61, 50}}) {
        const Kernel kernel{random_image(w, h, 7), w / 2, h / 2, has_channels};
        expect_direct(image, kernel);
      }
    }
  }
}

TEST_P(ConvolutionTest, LightOfAnyStrengthGivesTheDirectSum) {
  std::mt19937 random(31);
  std::uniform_real_distribution<float> stops(-13, 15);  // values from 1e-4 to 3e4
  for (const auto& [width, height] : {std::pair{17, 13}, {64, 49}}) {
    Image image(width, height);
    for (float& v : image.values) v = std::exp2(stops(random));
    for (const bool has_channels : {false, true}) {
      const Kernel kernel{random_image(21, 16, 32), 10, 8, has_channels};
      expect_direct(image, kernel);
      expect_direct(half_image(image), kernel, {.has_half_source = true});
    }
  }
}

TEST_P(ConvolutionTest, HalvesGiveTheDirectSumWhateverIsOutside) {
  const Image image = half_image(random_image(45, 30, 12));
  for (const Padding padding : {Padding::kZero, Padding::kClamp, Padding::kMirror})
    for (const auto layout : layouts())
      expect_direct(image, {random_image(9, 7, 13), 4, 3, true},
                    {.shape = {.padding = padding}, .has_half_source = true, .layout = layout});
}

TEST_P(ConvolutionTest, ComplexPixelsAreMultipliedAsSuch) {
  const Image image = random_image(24, 20, 15), taps = random_image(24, 20, 16);
  for (const bool has_kernels : {false, true}) {
    // (a + ib) * (k + il) from four real sums.
    const auto real = [](const Image& from, int c) {
      Image one(from.width, from.height);
      for (size_t i = 0; i < one.values.size(); i++) one.values[i] = from.values[i / 4 * 4 + size_t(c)];
      return one;
    };
    std::vector<double> reference(image.values.size());
    for (int pair = 0; pair < 4; pair += 2) {
      const auto sum = [&](int c, int k) {
        const int from = (has_kernels ? pair : 0) + k;
        return direct(real(image, pair + c), {real(taps, from), 0, 0, false}, Padding::kZero, true);
      };
      const auto ak = sum(0, 0), al = sum(0, 1), bk = sum(1, 0), bl = sum(1, 1);
      for (size_t i = size_t(pair); i < reference.size(); i += 4) {
        reference[i] = ak[i] - bl[i];
        reference[i + 1] = al[i] + bk[i];
      }
    }
    const auto result =
        convolve({image}, {taps, 0, 0, has_kernels}, {.is_circular = true, .layout = PointLayout::kComplex});
    ASSERT_THAT(result, IsOk());
    EXPECT_LT(relative_error(*result, reference), 2e-6);
  }
}

TEST_P(ConvolutionTest, PortionsGiveTheSameBytes) {
  const std::vector<Image> images = {random_image(61, 45, 31), random_image(61, 45, 32)};
  std::vector<Options> ways = {{.shape = {.padding = Padding::kMirror}}, {.parts_x = 2, .parts_y = 3}};
  for (const auto layout : layouts()) ways.push_back({.layout = layout});
  for (Options& options : ways)
    for (const bool has_channels : {false, true}) {
      const Kernel kernel{random_image(9, 8, 33), 4, 3, has_channels};
      options.portions = 1;
      const auto whole = convolve(images, kernel, options);
      ASSERT_THAT(whole, IsOk());
      for (const int portions : {2, 3, 7, 64}) {
        options.portions = portions;
        const auto result = convolve(images, kernel, options);
        ASSERT_THAT(result, IsOk());
        EXPECT_EQ(*result, *whole) << portions << " portions, padding " << int(options.shape.padding) << ", "
                                   << options.parts_x << " parts";
      }
    }
}

TEST_P(ConvolutionTest, ACentreAnywhereIsKept) {
  const Image image = random_image(30, 20, 8);
  for (const auto& [x, y] : {std::pair{0, 0}, {6, 0}, {0, 4}, {6, 4}, {2, 3}})
    expect_direct(image, {random_image(7, 5, 9), x, y, true});
}

TEST_P(ConvolutionTest, ADeltaIsTheIdentityAndAShiftedOneShifts) {
  const Image image = random_image(33, 21, 10, 100.0);
  Kernel delta{Image(7, 7), 3, 3, false};
  delta.image.at(3, 3, 0) = 1.0f;
  const auto same = convolve({image}, delta);
  ASSERT_THAT(same, IsOk());
  std::vector<double> reference(image.values.begin(), image.values.end());
  drop_alpha(reference);
  EXPECT_LT(relative_error(*same, reference), 1e-6);
  Kernel shifted{Image(7, 7), 3, 3, false};
  shifted.image.at(5, 2, 0) = 1.0f;  // two pixels to the right, one up
  const auto moved = convolve({image}, shifted);
  ASSERT_THAT(moved, IsOk());
  for (int y = 0; y < 21; y++)
    for (int x = 0; x < 33; x++)
      EXPECT_NEAR((*moved)[(size_t(y) * 33 + size_t(x)) * 4],
                  x >= 2 && y + 1 < 21 ? image.at(x - 2, y + 1, 0) : 0.0f, 2e-4);
}

// The declared padding is enough, and one point less is not. The second part shows that the check
// can fail.
TEST_P(ConvolutionTest, NothingWrapsAroundAndOnePointLessWould) {
  Image image(27, 27);
  for (const int x : {0, 26})
    for (const int y : {0, 26}) image.at(x, y, 0) = 1000.0f;
  Kernel kernel{Image(11, 11), 5, 5, false};
  for (const int i : {0, 10})
    for (const int j : {0, 10}) kernel.image.at(i, j, 0) = 1.0f;
  const auto reference = direct(image, kernel, Padding::kZero, false);
  const Options exact{.sides = {32, 32}};
  const auto right = convolve({image}, kernel, exact);
  ASSERT_THAT(right, IsOk());
  EXPECT_LT(relative_error(*right, reference), 1e-6);
  for (const bool along_x : {true, false}) {
    Options less = exact;
    // 31 is no valid length, and 30 is two points too few
    (along_x ? less.sides.x : less.sides.y) = 30;
    const auto wrong = convolve({image}, kernel, less);
    ASSERT_THAT(wrong, IsOk());
    EXPECT_GT(relative_error(*wrong, reference), 0.1);
  }
}

TEST_P(ConvolutionTest, PaddingContinuesTheImage) {
  const Image image = random_image(23, 18, 11);
  for (const Padding padding : {Padding::kClamp, Padding::kMirror})
    for (const int size : {7, 15}) {
      // Each half of the padding continues one end of the line.
      const Kernel kernel{random_image(size, size, 12), size / 2, size / 2, true};
      expect_direct(image, kernel, {.shape = {.padding = padding}, .sides = {40, 36}});
    }
}

// A kernel with a reach larger than the image's width uses the continued image several times.
TEST_P(ConvolutionTest, PaddingContinuesImagesThatAreSmallerThanTheKernel) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 40}, {37, 1}, {2, 3}, {5, 4}, {11, 13}}) {
    const Image image = random_image(width, height, uint32_t(width * 100 + height));
    for (const Padding padding : {Padding::kClamp, Padding::kMirror})
      for (const auto& [w, h] : {std::pair{5, 7}, {24, 9}, {41, 30}})
        for (const bool has_channels : {false, true})
          expect_direct(image, {random_image(w, h, 7), w / 3, h / 2, has_channels},
                        {.shape = {.padding = padding}});
  }
}

TEST_P(ConvolutionTest, CircularImagesRepeat) {
  for (const auto& [width, height] : {std::pair{16, 27}, {35, 18}, {30, 30}})
    expect_direct(random_image(width, height, 13), {random_image(9, 8, 14), 3, 5, true},
                  {.is_circular = true});
}

TEST_P(ConvolutionTest, ChannelsDoNotLeakIntoEachOther) {
  const Kernel kernel{random_image(9, 9, 15), 4, 4, true};
  for (int lit = 0; lit < 3; lit++) {
    Image image(32, 29);
    const Image noise = random_image(32, 29, 16);
    for (size_t i = 0; i < image.values.size(); i += 4) image.values[i + size_t(lit)] = noise.values[i];
    const auto result = convolve({image}, kernel);
    ASSERT_THAT(result, IsOk());
    double most = 0, leak = 0;
    for (size_t i = 0; i < result->size(); i++) {
      double& where = int(i % 4) == lit ? most : leak;
      where = std::max(where, std::abs(double((*result)[i])));
    }
    EXPECT_LT(leak / most, 1e-6) << lit;
  }
}

TEST_P(ConvolutionTest, IsLinearAndCommutes) {
  const Image a = random_image(20, 20, 17), b = random_image(20, 20, 18);
  Image sum(20, 20);
  for (size_t i = 0; i < sum.values.size(); i++) sum.values[i] = a.values[i] + 3.0f * b.values[i];
  const Kernel kernel{random_image(9, 9, 19), 4, 4, false};
  const auto of_a = convolve({a}, kernel), of_b = convolve({b}, kernel), of_sum = convolve({sum}, kernel);
  ASSERT_THAT(of_sum, IsOk());
  std::vector<double> expected(of_sum->size());
  for (size_t i = 0; i < expected.size(); i++) expected[i] = double((*of_a)[i]) + 3.0 * double((*of_b)[i]);
  EXPECT_LT(relative_error(*of_sum, expected), 2e-6);
  const Options circular{.is_circular = true};
  const auto ab = convolve({a}, {b, 0, 0, true}, circular), ba = convolve({b}, {a, 0, 0, true}, circular);
  ASSERT_THAT(ab, IsOk());
  ASSERT_THAT(ba, IsOk());
  EXPECT_LT(relative_error(*ab, std::vector<double>(ba->begin(), ba->end())), 2e-6);
}

TEST_P(ConvolutionTest, LightIsKept) {
  const Image image = random_image(36, 40, 20, 1000.0);
  Kernel kernel{random_image(15, 15, 21), 7, 7, false};
  double taps = 0;
  for (size_t i = 0; i < kernel.image.values.size(); i += 4) taps += kernel.image.values[i];
  const auto result = convolve({image}, kernel, {.is_circular = true});
  ASSERT_THAT(result, IsOk());
  double in = 0, out = 0;
  for (size_t i = 0; i < result->size(); i++) {
    if (i % 4 == 3) continue;
    in += image.values[i];
    out += (*result)[i];
  }
  EXPECT_NEAR(out / (in * taps), 1.0, 1e-6);
}

// The rounding error of a bright area affects the dark around it by at most 2^-24 of its light.
TEST_P(ConvolutionTest, ASunLeavesTheDarkDark) {
  Image image(200, 150);
  for (int y = 70; y < 76; y++)
    for (int x = 90; x < 96; x++)
      for (int c = 0; c < 3; c++) image.at(x, y, c) = 30000.0f;
  Kernel kernel{Image(41, 41), 20, 20, false};
  double taps = 0;
  for (int y = 0; y < 41; y++)
    for (int x = 0; x < 41; x++) {
      const double r = std::hypot(x - 20, y - 20);
      taps += kernel.image.at(x, y, 0) = static_cast<float>(std::pow(r + 0.7, -2.0));
    }
  for (float& v : kernel.image.values) v /= static_cast<float>(taps);
  const auto reference = direct(image, kernel, Padding::kZero, false);
  const auto result = convolve({image}, kernel);
  ASSERT_THAT(result, IsOk());
  EXPECT_LT(largest_difference(*result, reference), 30000.0 * 36 * 2e-7 * 0.1);
}

TEST_P(ConvolutionTest, FramesOfABatchAreAsAlone) {
  std::vector<Image> images;
  for (uint32_t i = 0; i < 3; i++) images.push_back(random_image(25, 30, 22 + i));
  for (const bool has_channels : {false, true})
    for (const int parts : {1, 2}) {
      const Kernel kernel{random_image(9, 5, 30), 4, 2, has_channels};
      const Options options{.parts_x = parts, .parts_y = parts};
      const auto together = convolve(images, kernel, options);
      ASSERT_THAT(together, IsOk());
      for (size_t i = 0; i < images.size(); i++) {
        const auto alone = convolve({images[i]}, kernel, options);
        ASSERT_THAT(alone, IsOk());
        const auto first = together->begin() + ptrdiff_t(i * alone->size());
        EXPECT_TRUE(std::equal(alone->begin(), alone->end(), first));
      }
    }
}

// A launch that would leave a third of the device idle uses kernels with more lanes.
TEST_P(ConvolutionTest, FramesThatFillTheDeviceAreAsThoseThatDoNot) {
  const int height = device_->info().is_software ? 9 : 500;
  for (const int width : is_slow() ? std::vector{500} : std::vector{500, 720}) {
    std::vector<Image> images;
    for (uint32_t i = 0; i < 3; i++) images.push_back(random_image(width, height, 40 + i));
    const Kernel kernel = sparse_kernel(9, 5, false, 43);
    const auto together = convolve(images, kernel);
    ASSERT_THAT(together, IsOk());
    const auto alone = convolve({images[2]}, kernel);
    ASSERT_THAT(alone, IsOk());
    EXPECT_TRUE(std::equal(alone->begin(), alone->end(), together->end() - ptrdiff_t(alone->size())));
  }
}

// Samples are half floats in input and output, rows are longer than the image, and values too large
// for a half are clamped.
TEST_P(ConvolutionTest, HalvesAreReadAndWritten) {
  constexpr int kWidth = 21, kHeight = 17, kStride = 24;
  // NaN in the gaps between the rows
  std::vector<uint16_t> pixels(size_t(kStride) * kHeight * 4, 0x7e00);
  for (int y = 0; y < kHeight; y++)
    for (int i = 0; i < 4 * kWidth; i++)
      pixels[size_t(y) * kStride * 4 + size_t(i)] = half_bits(float(i + y) / 8);
  pixels[0] = half_bits(60000.0f);
  ConvolutionShape shape{.width = kWidth, .height = kHeight, .reach_x = 1, .reach_y = 1};
  const auto convolution = Convolution::make(*device_, shape);
  ASSERT_THAT(convolution, IsOk());
  std::vector<float> taps(4 * 9, 0.0f);
  taps[4 * 4] = 2.0f;
  const auto source = upload(pixels.data(), pixels.size() * 2), kernel = upload(taps.data(), taps.size() * 4);
  const auto target = upload(pixels.data(), pixels.size() * 2);
  const auto scratch = device_->allocate(MemoryKind::kDevice, (*convolution)->scratch_bytes(1)).value();
  const auto spectrum = (*convolution)->make_spectrum(*stream_, *scratch, {kernel.get(), 0, 3, 3, 1, 1});
  ASSERT_THAT(spectrum, IsOk());
  (*convolution)
      ->enqueue(*stream_, {.source = {source.get(), 0, PixelType::kHalf, kStride, 0},
                           .target = {target.get(), 0, PixelType::kHalf, kStride, 0},
                           .spectrum = spectrum->get(),
                           .scratch = scratch.get(),
                           .units = 1});
  const std::vector<std::byte> bytes = download(*target);
  std::vector<uint16_t> result(bytes.size() / sizeof(uint16_t));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  EXPECT_EQ(result[0], half_bits(65504.0f));
  for (int y = 0; y < kHeight; y++)
    for (int i = 0; i < 4 * kStride; i++) {
      const size_t index = size_t(y) * kStride * 4 + size_t(i);
      if (i >= 4 * kWidth) {
        EXPECT_EQ(result[index], 0x7e00) << "written past a row's end";
      } else if (index != 0) {
        EXPECT_NEAR(of_half(result[index]), i % 4 == 3 ? 0 : float(i + y) / 4, 0.06);
      }
    }
}

TEST_P(ConvolutionTest, WhatCannotBeIsRefused) {
  const auto make = [&](const ConvolutionShape& shape) {
    return Convolution::make(*device_, shape).status();
  };
  EXPECT_THAT(make({.width = 0, .height = 5}),
              StatusIs(StatusCode::kInvalidArgument, "width is out of range"));
  EXPECT_THAT(make({.width = 5, .height = 20000}),
              StatusIs(StatusCode::kInvalidArgument, "height is out of range"));
  EXPECT_THAT(make({.width = 5, .height = 5, .reach_x = -1}),
              StatusIs(StatusCode::kInvalidArgument, "reach along the image's width"));
  EXPECT_THAT(make({.width = 16384, .height = 16384, .reach_x = 16383, .reach_y = 16383}),
              StatusIs(StatusCode::kInvalidArgument, "too large for a transform"));
  // A column of one channel does not fit in 8 parts, with 8 bytes a point.
  if (device_->info().shared_memory_bytes < 49150) {
    EXPECT_THAT(make({.width = 32, .height = 16384, .reach_y = 16383, .padding = Padding::kMirror}),
                StatusIs(StatusCode::kFailedPrecondition, "cannot transform columns"));
  }
  const Image image = random_image(10, 10, 1);
  EXPECT_THAT(convolve({image}, {random_image(9, 9, 2), 9, 0, false}),
              StatusIs(StatusCode::kInvalidArgument, "centre is out of range"));
  EXPECT_THAT(
      convolve({image}, {random_image(9, 9, 2), 4, 4, false}, {.shape = {.reach_x = 3, .reach_y = 4}}),
      StatusIs(StatusCode::kInvalidArgument, "goes further from its centre"));
}

// on Vulkan in software only ConvolutionRgb is tested
WEFT_ON_DEVICES(ConvolutionTest, fast_device_ids());

}  // namespace
}  // namespace weft::filters::bloom
