// SPDX-License-Identifier: Apache-2.0
// Tests convolution by FFT with intermediates of fp16 on every GPU: the error against a direct sum
// in float64, overflow, and equality with fp32 in all other respects. The figures are those of
// docs/reference/bloom.md. The CPU uses fp32.
#include <array>

#include "tests/server/filters/bloom/convolution_fixture.h"

namespace weft::filters::bloom {
namespace {

// Bounds of the largest error of a pixel and of the root mean square error, relative to the root
// mean square of the output in the pixel's row.
constexpr double kMostError = 0x1p-10, kUsualError = 0x1p-12;
// error of fp32, relative to the root of the sum of squares of all light
constexpr double kExactError = 0x1p-26;

struct Errors {
  double most = 0, usual = 0;
};

// Returns the errors less the error of fp32. `all` is the root of the sum of squares of the light.
Errors errors_in_rows(const std::vector<float>& result, const std::vector<double>& reference, int width,
                      double all) {
  Errors errors;
  const size_t row = size_t(4) * size_t(width);
  double squares = 0;
  for (size_t begin = 0; begin < reference.size(); begin += row) {
    double light = 0;
    for (size_t i = begin; i < begin + row; i++) light += reference[i] * reference[i];
    const double rms = std::sqrt(light / width) + 1e-30;
    for (size_t i = begin; i < begin + row; i++) {
      const double difference = std::abs(double(result[i]) - reference[i]) - kExactError * all;
      const double error = difference < 0 ? 0 : difference / rms;
      errors.most = error <= errors.most ? errors.most : error;  // keeps a NaN
      squares += error * error;
    }
  }
  errors.usual = std::sqrt(squares / double(reference.size()));
  return errors;
}

double sum_of(const Kernel& kernel) {
  std::array<double, 4> sums = {1e-12, 0, 0, 0};
  for (size_t i = 0; i < kernel.image.values.size(); i++)
    sums[i % 4] += std::abs(double(kernel.image.values[i]));
  return std::ranges::max(sums);
}

// Returns a kernel (r + 0.7)^-2 with a sum of 1.
Kernel glow(int side, bool has_channels) {
  Kernel kernel{Image(side, side), side / 2, side / 2, has_channels};
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      for (int c = 0; c < 4; c++)
        kernel.image.at(x, y, c) =
            float(std::pow(std::hypot(x - side / 2, y - side / 2) * (1 + 0.3 * c) + 0.7, -2.0));
  const double sum = sum_of(kernel);
  for (float& v : kernel.image.values) v = float(v / sum);
  return kernel;
}

Image hdr_image(int width, int height, uint32_t seed, float least_stop, float most_stop) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> stops(least_stop, most_stop);
  Image image(width, height);
  for (float& v : image.values) v = std::exp2(stops(random));
  return image;
}

class ConvolutionHalf : public ConvolutionBench {
 protected:
  static Options half_options(const Kernel& kernel, Options options = {}) {
    options.shape.intermediates = Intermediates::kFp16;
    options.shape.kernel_sum = sum_of(kernel);
    return options;
  }

  void expect_within_error(const Image& image, const Kernel& kernel, Options options = {}) {
    const auto result = convolve({image}, kernel, half_options(kernel, options));
    ASSERT_THAT(result, IsOk());
    auto reference = direct(image, kernel, options.shape.padding, options.is_circular);
    drop_alpha(reference);
    double squares = 0;
    for (const float v : image.values) squares += double(v) * v;
    const double all = std::sqrt(squares) * sum_of(kernel);
    const Errors errors = errors_in_rows(*result, reference, image.width, all);
    EXPECT_LT(errors.most, kMostError) << image.width << "x" << image.height;
    EXPECT_LT(errors.usual, kUsualError) << image.width << "x" << image.height;
    EXPECT_GT(errors.most, 1e-5) << "as exact as fp32";
  }
};

TEST_P(ConvolutionHalf, RandomLightIsWithinItsError) {
  for (const auto& [width, height] : {std::pair{1, 40}, {37, 1}, {64, 49}, {250, 130}})
    for (const bool has_channels : {false, true}) {
      const Kernel kernel = glow(31, has_channels);
      expect_within_error(random_image(width, height, 5), kernel);
      expect_within_error(hdr_image(width, height, 6, -7, 15), kernel);
      expect_within_error(half_image(hdr_image(width, height, 7, -7, 15)), kernel, {.has_half_source = true});
    }
}

TEST_P(ConvolutionHalf, ASunReachesNoFurtherThanItsRows) {
  Image image(200, 150);
  for (int y = 70; y < 76; y++)
    for (int x = 90; x < 96; x++)
      for (int c = 0; c < 3; c++) image.at(x, y, c) = 30000.0f;
  expect_within_error(image, glow(41, false));
}

TEST_P(ConvolutionHalf, WhateverIsOutside) {
  const Image image = random_image(45, 30, 12);
  for (const Padding padding : {Padding::kZero, Padding::kClamp, Padding::kMirror})
    expect_within_error(image, glow(9, true), {.shape = {.padding = padding}});
}

// Every pixel has the declared largest value, or its negative, so that all light adds up in one
// number of a row's transform.
TEST_P(ConvolutionHalf, NothingOverflowsAtTheBrightest) {
  Image image(90, 40), striped(90, 40);
  for (size_t i = 0; i < image.values.size(); i++) {
    image.values[i] = 65504;
    striped.values[i] = i / 4 % 2 == 0 ? 65504 : -65504;
  }
  Kernel box{Image(9, 7), 4, 3, false}, large{Image(9, 7), 4, 3, false};
  for (size_t i = 0; i < box.image.values.size(); i += 4) {
    box.image.values[i] = 1.0f / 63;
    large.image.values[i] = i % 8 == 0 ? 3000.0f : -3000.0f;
  }
  for (const Padding padding : {Padding::kZero, Padding::kMirror})
    for (const bool is_half : {false, true})
      for (const auto& [light, kernel] : {std::pair{&image, &box}, {&striped, &box}, {&striped, &large}}) {
        const ConvolutionShape shape{.padding = padding};
        const auto result =
            convolve({*light}, *kernel, half_options(*kernel, {.shape = shape, .has_half_source = is_half}));
        ASSERT_THAT(result, IsOk());
        auto reference = direct(*light, *kernel, padding, false);
        drop_alpha(reference);
        EXPECT_LT(relative_error(*result, reference), 0x1p-9);
      }
}

// Shows that the check above can fail.
TEST_P(ConvolutionHalf, LightThatIsBrighterThanWasSaidOverflows) {
  Image image(90, 40);
  for (float& v : image.values) v = 65504;
  const Kernel kernel = glow(9, false);
  const auto result = convolve({image}, kernel, half_options(kernel, {.shape = {.brightest = 100}}));
  ASSERT_THAT(result, IsOk());
  auto reference = direct(image, kernel, Padding::kZero, false);
  drop_alpha(reference);
  EXPECT_FALSE(relative_error(*result, reference) < 0.1);
}

// Light that is declared as dim keeps the same precision as bright light.
TEST_P(ConvolutionHalf, DimLightKeepsItsDigits) {
  Image image = random_image(120, 50, 3);
  for (float& v : image.values) v *= 1e-6f;
  expect_within_error(image, glow(31, true), {.shape = {.brightest = 1e-6}});
}

TEST_P(ConvolutionHalf, EveryFixedLineIsWithinItsError) {
  for (const LinePass pass : {LinePass::kRows, LinePass::kColumns, LinePass::kRowsBack})
    for (const FixedLine& line : fixed_lines(pass)) {
      if (is_slow() && line.plan.radices.size() > 3) continue;
      const int points = line.plan.points, side = points - 50;
      SCOPED_TRACE(line.variant);
      if (pass == LinePass::kColumns) {
        expect_within_error(random_image(9, side, 4), sparse_kernel(9, 101, true, 2),
                            {.sides = {18, points}, .change = with_line(pass, line)});
      } else {
        expect_within_error(random_image(side, 9, 3), sparse_kernel(101, 9, true, 1),
                            {.sides = {points, 18}, .change = with_line(pass, line)});
      }
    }
}

TEST_P(ConvolutionHalf, FramesOfABatchAreAsAlone) {
  std::vector<Image> images;
  for (uint32_t i = 0; i < 3; i++) images.push_back(random_image(25, 30, 22 + i));
  const Kernel kernel = glow(9, true);
  const auto together = convolve(images, kernel, half_options(kernel));
  ASSERT_THAT(together, IsOk());
  for (size_t frame = 0; frame < images.size(); frame++) {
    const auto alone = convolve({images[frame]}, kernel, half_options(kernel));
    ASSERT_THAT(alone, IsOk());
    EXPECT_TRUE(
        std::equal(alone->begin(), alone->end(), together->begin() + ptrdiff_t(frame * alone->size())));
  }
}

// Spectra are shared by fp16 and fp32.
TEST_P(ConvolutionHalf, SpectraAreThoseOfFp32AndFramesAreHalfAsLarge) {
  ConvolutionShape shape{.width = 120, .height = 64, .reach_x = 8, .reach_y = 0};
  const auto exact = Convolution::make(*device_, shape).value();
  shape.intermediates = Intermediates::kFp16;
  const auto half = Convolution::make(*device_, shape).value();
  const Image taps = random_image(17, 1, 4);
  const auto image = upload(taps.values.data(), taps.values.size() * sizeof(float));
  std::vector<std::vector<std::byte>> spectra;
  for (const Convolution* convolution : {exact.get(), half.get()}) {
    const auto scratch = device_->allocate(MemoryKind::kDevice, convolution->scratch_bytes(1)).value();
    const auto spectrum = convolution->make_spectrum(*stream_, *scratch, {image.get(), 0, 17, 1, 8, 0});
    ASSERT_THAT(spectrum, IsOk());
    spectra.push_back(download(**spectrum));
  }
  EXPECT_EQ(spectra[0], spectra[1]);
  EXPECT_EQ(exact->scratch_bytes(8), 2 * half->scratch_bytes(8));
}

TEST_P(ConvolutionHalf, BoundsThatMeanNothingAreRefused) {
  for (const double value : {0.0, -1.0, 1e13, std::nan("")}) {
    EXPECT_THAT(Convolution::make(*device_, {.width = 20, .height = 20, .brightest = value}).status(),
                StatusIs(StatusCode::kInvalidArgument, "brightest sample of a convolution"));
    EXPECT_THAT(Convolution::make(*device_, {.width = 20, .height = 20, .kernel_sum = value}).status(),
                StatusIs(StatusCode::kInvalidArgument, "kernel's sum of a convolution"));
  }
}

WEFT_ON_DEVICES(ConvolutionHalf, gpu_ids());

// Each of the CPU's instruction sets has its own conversion of half floats. Between the passes all
// use fp32.
class ConvolutionHalfOnCpu : public ConvolutionHalf {
 protected:
  void SetUp() override {
    auto opened = device::open_device("cpu", {.cpu_isa = GetParam()});
    if (opened.status().code() == StatusCode::kFailedPrecondition)
      GTEST_SKIP() << std::string(opened.status().message());
    ASSERT_THAT(opened, IsOk());
    own_ = *std::move(opened);
    device_ = own_.get();
    stream_ = device_->make_stream().value();
  }
  void TearDown() override { stream_.reset(); }

 private:
  std::unique_ptr<Device> own_;
};

TEST_P(ConvolutionHalfOnCpu, HalvesGiveTheDirectSum) {
  for (const bool has_channels : {false, true})
    for (const auto layout : layouts())
      expect_direct(half_image(hdr_image(64, 49, 6, -7, 15)), glow(15, has_channels),
                    {.has_half_source = true, .layout = layout});
}

TEST_P(ConvolutionHalfOnCpu, IntermediatesAreOfFp32) {
  const Kernel kernel = glow(15, true);
  const Image image = hdr_image(64, 49, 6, -7, 15);
  expect_direct(image, kernel, half_options(kernel));
}

INSTANTIATE_TEST_SUITE_P(Isas, ConvolutionHalfOnCpu, testing::Values("baseline", "x86-64-v3", "x86-64-v4"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace weft::filters::bloom
