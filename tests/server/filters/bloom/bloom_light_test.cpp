// SPDX-License-Identifier: Apache-2.0
// Tests properties of the light that blooms: its amount, its selection, and its distribution.
#include "tests/server/filters/bloom/bloom_fixture.h"

namespace weft::filters::bloom {
namespace {

class BloomLight : public BloomBench {};

// --- Light
// -------------------------------------------------------------------------------------------------

TEST_P(BloomLight, ConservingKeepsTheLight) {
  const Image image = lamps(96);
  for (
      const char* options :
      {"intensity: 1", "intensity: 0.3 threshold: 20", "glare: BLOOM_GLARE_GAUSSIAN intensity: 0.7 clamp: 30",
       "glare: BLOOM_GLARE_STREAK intensity: 1 spike: 0", "intensity: 1 scatter: 3 spike: 0.5",
       "glare: BLOOM_GLARE_APERTURE intensity: 0.8 dark_ring: 0.1",
       "glare: BLOOM_GLARE_APERTURE intensity: 0.8 dark_ring: 0.1 kernel_colour: BLOOM_KERNEL_COLOUR_GRAY"}) {
    const std::vector<float> result = bloomed(image, std::string(options) + " size: 0.7");
    for (size_t c = 0; c < 3; c++)
      EXPECT_NEAR(light_of(result, c) / light_of(image.values, c), 1, 1e-5) << options;
    // The light is spread.
    EXPECT_GT(relative_error(result, doubles(image.values)), 0.01) << options;
  }
  // A tint moves light from one colour to another; white light keeps its luminance.
  Image white(96, 96);
  white.set(45, 50, 300);
  const std::vector<float> tinted = bloomed(
      white, "preset: BLOOM_PRESET_ANAMORPHIC energy: BLOOM_ENERGY_CONSERVING threshold: 0 size: 0.7");
  EXPECT_GT(light_of(tinted, 2), 1.1 * light_of(tinted, 0));
  EXPECT_NEAR(0.2126 * light_of(tinted, 0) + 0.7152 * light_of(tinted, 1) + 0.0722 * light_of(tinted, 2), 300,
              3e-3);
}

TEST_P(BloomLight, AdditiveAddsItsIntensity) {
  const Image image = lamps(96);
  const double before = light_of(image.values);
  const std::string additive = "energy: BLOOM_ENERGY_ADDITIVE size: 0.7 intensity: ";
  EXPECT_NEAR(light_of(bloomed(image, additive + "0.5")) / before, 1.5, 1e-5);
  EXPECT_NEAR(light_of(bloomed(image, additive + "2")) / before, 3, 1e-5);
  const Image large = lamps(256);  // The dual filter has long tails.
  const std::string dual =
      "method: BLOOM_METHOD_DUAL size: 0.1 energy: BLOOM_ENERGY_ADDITIVE intensity: 1 scatter: 2";
  EXPECT_NEAR(light_of(bloomed(large, dual)) / light_of(large.values), 3, 1e-4);
}

TEST_P(BloomLight, TheDualFilterHasTheSameControls) {
  const Image image = lamps(128);
  const std::string dual = "method: BLOOM_METHOD_DUAL size: 0.2 ";
  const double before = light_of(image.values);
  for (const char* options : {"intensity: 1", "intensity: 0.3 threshold: 20", "intensity: 0.7 clamp: 30"})
    EXPECT_NEAR(light_of(bloomed(image, dual + options)) / before, 1, 1e-5) << options;
  const std::vector<float> narrow = bloomed(image, dual + "intensity: 1"),
                           wide = bloomed(image, "method: BLOOM_METHOD_DUAL size: 1 intensity: 1");
  EXPECT_GT(*std::max_element(narrow.begin(), narrow.end()), *std::max_element(wide.begin(), wide.end()));
  EXPECT_LT(light_of(bloomed(image, dual + "intensity: 1 suppress_fireflies: true")), 0.9 * before);
  EXPECT_EQ(bloomed(image, dual + "intensity: 0"), image.values);
}

TEST_P(BloomLight, TheCentreStaysAsSharpAsItWas) {
  Image image(64, 64);
  image.set(32, 32, 100);
  const std::string options = "intensity: 1 power_core: 0.001 size: 0.5 ";
  const auto middle = [](const std::vector<float>& v) { return v[(size_t(32) * 64 + 32) * 4]; };
  const BloomKernel kernel =
      // The values follow the formula in the header.
      make_bloom_kernel(options_of(options), {}, 64, 64).value();
  const double c = kernel.centre_weight[0], s = kernel.scatter_weight[0];
  const double k =
      kernel.rgba[(size_t(kernel.centre_y) * size_t(kernel.width) + size_t(kernel.centre_x)) * 4];
  ASSERT_GT(c, 0.1);
  for (const auto& [spike, scatter] : {std::pair{1.0, 1.0}, {0.5, 1.0}, {0.0, 1.0}, {1.0, 0.25}}) {
    const double expected = 100 * (spike * c + scatter * s * k) / (spike * c + scatter * s);
    EXPECT_NEAR(middle(bloomed(image, options + fmt::format("spike: {} scatter: {}", spike, scatter))),
                expected, 1e-4 * expected);
  }
}

// --- Selection
// ---------------------------------------------------------------------------------------------

TEST_P(BloomLight, ThresholdKneeAndClampFollowTheirFormula) {
  Image image(64, 16);  // pixels with different brightnesses
  for (int x = 0; x < 64; x++) {
    image.at(x, 8, 0) = 0.1f * float(x);
    image.at(x, 8, 1) = 0.05f * float(x);
  }
  // If all but one line is black and the kernel has one pixel, the glow is the light itself.
  const GlarePicture point = delta(1, 1, 0, 0);
  const double threshold = 2, knee = 0.5 * 2, clamp = 5;
  const std::vector<float> result =
      bloomed(image, "mode: BLOOM_MODE_CONVOLVE threshold: 2 knee: 0.5 clamp: 5", &point);
  for (int x = 0; x < 64; x++) {
    const double red = std::min<double>(image.at(x, 8, 0), clamp),
                 green = std::min<double>(image.at(x, 8, 1), clamp);
    const double soft = std::clamp(red - threshold + knee, 0.0, 2 * knee);
    const double gain = red > 0 ? std::max(red - threshold, soft * soft / (4 * knee)) / red : 0;
    EXPECT_NEAR(result[(size_t(8) * 64 + size_t(x)) * 4], red * gain, 1e-5) << x;
    EXPECT_NEAR(result[(size_t(8) * 64 + size_t(x)) * 4 + 1], green * gain, 1e-5) << x;
  }
}

TEST_P(BloomLight, WhatIsBelowTheThresholdStaysToTheLastBit) {
  Image image = random_image(40, 30, 4, 0.9f);
  EXPECT_EQ(bloomed(image, "threshold: 1 knee: 0 intensity: 1"), image.values);
  EXPECT_EQ(bloomed(image, "threshold: 1 knee: 0 intensity: 1 method: BLOOM_METHOD_DUAL"), image.values);
}

TEST_P(BloomLight, WhatIsNoLightIsScrubbedAndCounted) {
  for (const char* method : {"method: BLOOM_METHOD_FFT", "method: BLOOM_METHOD_DUAL"}) {
    Image image = random_image(40, 30, 5);
    image.at(3, 4, 0) = NAN;
    image.at(3, 4, 1) = INFINITY;  // in the same pixel
    image.at(20, 9, 2) = -INFINITY;
    image.at(30, 29, 1) = -0.25f;
    image.at(5, 5, 3) = NAN;  // in alpha
    image.at(6, 5, 3) = INFINITY;
    image.at(20, 9, 3) = NAN;  // in a pixel that is counted already
    const std::vector<float> result = bloomed(image, std::string(method) + " clamp: 100");
    EXPECT_EQ(counts_[0], 4u);
    EXPECT_EQ(counts_[1], 2u);
    for (const float value : result) ASSERT_TRUE(std::isfinite(value));
    for (const size_t pixel : {5 * 40 + 5, 5 * 40 + 6, 9 * 40 + 20}) EXPECT_EQ(result[pixel * 4 + 3], 1);
  }
}

// --- HDR
// -------------------------------------------------------------------------------------------------

// A bright area on black: rounding leaves noise of 2^-24 of its light in the dark, without a
// streak.
TEST_P(BloomLight, ASunLeavesTheDarkDark) {
  Image image(200, 150);
  for (int y = 70; y < 76; y++)
    for (int x = 90; x < 96; x++) image.set(x, y, 30000);
  const v1::BloomOptions options = options_of("intensity: 1 size: 0.27 energy: BLOOM_ENERGY_ADDITIVE");
  const auto result = bloom({image}, options);
  ASSERT_THAT(result, IsOk());
  const BloomKernel kernel = make_bloom_kernel(options, {}, 200, 150).value();
  double worst = 0;
  for (int y = 0; y < 150; y++)
    for (int x = 0; x < 200; x++) {
      double sum = 0;
      for (int v = 70; v < 76; v++)
        for (int u = 90; u < 96; u++) {
          const int i = x - u + kernel.centre_x, j = y - v + kernel.centre_y;
          if (i < 0 || j < 0 || i >= kernel.width || j >= kernel.height) continue;
          sum += 30000 * double(kernel.rgba[(size_t(j) * size_t(kernel.width) + size_t(i)) * 4]);
        }
      const double expected =
          sum * kernel.scatter_weight[0] + image.at(x, y, 0) * (1 + kernel.centre_weight[0]);
      worst = std::max(worst, std::abs(double((*result)[(size_t(y) * 200 + size_t(x)) * 4]) - expected));
    }
  // The bound is 2^-24 log2(points) times the root of the sum of squares, which is 6 * 30000.
  EXPECT_LT(worst, 0x1p-24 * 16 * 6 * 30000);
}

TEST_P(BloomLight, NothingComesInFromTheOtherSide) {
  Image image(64, 48);
  for (int y = 0; y < 48; y++) image.set(0, y, 1000);
  for (const char* padding : {"ZERO", "CLAMP", "MIRROR"})
    for (const char* method : {"FFT", "DUAL"}) {
      const std::vector<float> result = bloomed(
          image, fmt::format("energy: BLOOM_ENERGY_ADDITIVE glare: BLOOM_GLARE_GAUSSIAN size: 0.5 taper: 0 "
                             "padding: BLOOM_PADDING_{} method: BLOOM_METHOD_{}",
                             padding, method));
      // The kernel is 24 pixels wide. The tails of the dual filter are long and decrease.
      const double near = result[(size_t(24) * 64 + 4) * 4], far = result[(size_t(24) * 64 + 63) * 4];
      EXPECT_LT(far, (method == std::string("FFT") ? 1e-5 : 0.05) * near) << padding << " " << method;
    }
}

TEST_P(BloomLight, PaddingSaysWhatLiesOutside) {
  const Image even = [] {
    Image image(50, 40);
    std::fill(image.values.begin(), image.values.end(), 2.0f);
    return image;
  }();
  for (const char* method : {"FFT", "DUAL"}) {
    const std::string options = fmt::format(
        "intensity: 1 size: 0.5 glare: BLOOM_GLARE_GAUSSIAN method: BLOOM_METHOD_{} padding: BLOOM_PADDING_",
        method);
    for (const char* padding : {"CLAMP", "MIRROR"})
      EXPECT_LT(relative_error(bloomed(even, options + padding), doubles(even.values)), 1e-5) << padding;
    const std::vector<float> dark = bloomed(even, options + "ZERO");
    // A corner receives its own light and a quarter of the glow.
    EXPECT_LT(dark[0], 1.6) << method;
    EXPECT_NEAR(dark[3], 2, 0) << "alpha";
  }
}

WEFT_ON_EVERY_DEVICE(BloomLight);

}  // namespace
}  // namespace weft::filters::bloom
