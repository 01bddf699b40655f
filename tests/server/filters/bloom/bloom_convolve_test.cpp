// SPDX-License-Identifier: Apache-2.0
// Compares the plain convolution with the direct sum in float64.
#include "tests/server/filters/bloom/bloom_fixture.h"

namespace weft::filters::bloom {
namespace {

class BloomConvolve : public BloomBench {};

TEST_P(BloomConvolve, ConvolveIsTheDirectSum) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 40}, {37, 1}, {17, 13}, {32, 31}})
    for (const auto& [w, h] : {std::pair{1, 1}, {5, 7}, {8, 6}, {41, 10}}) {
      Image image = random_image(width, height, uint32_t(width * 100 + height), 100);
      image.set(width / 2, height / 3, -20);  // Negative values are convolved as well.
      const GlarePicture kernel = random_kernel(w, h, uint32_t(w));
      EXPECT_LT(relative_error(bloomed(image, kConvolve, &kernel), direct(image, kernel, w / 2, h / 2)), 2e-6)
          << width << "x" << height << " by " << w << "x" << h;
    }
}

TEST_P(BloomConvolve, ConvolveTakesACentreAnywhere) {
  const Image image = random_image(30, 20, 8);
  const GlarePicture kernel = random_kernel(7, 5, 9);
  for (const auto& [x, y] : {std::pair{0, 0}, {6, 0}, {0, 4}, {2, 3}})
    EXPECT_LT(
        relative_error(bloomed(image, kConvolve + fmt::format(" centre_x: {} centre_y: {}", x, y), &kernel),
                       direct(image, kernel, x, y)),
        2e-6);
}

TEST_P(BloomConvolve, ADeltaIsTheIdentityAndAShiftedOneShifts) {
  const Image image = random_image(33, 21, 10, 100);
  // two pixels to the right, one up
  const GlarePicture middle = delta(6, 7, 3, 3), aside = delta(7, 7, 5, 2);
  EXPECT_LT(relative_error(bloomed(image, kConvolve, &middle), doubles(image.values)), 1e-6);
  const std::vector<float> moved = bloomed(image, kConvolve, &aside);
  for (int y = 0; y < 21; y++)
    for (int x = 0; x < 33; x++)
      ASSERT_NEAR(moved[(size_t(y) * 33 + size_t(x)) * 4],
                  x >= 2 && y + 1 < 21 ? image.at(x - 2, y + 1, 0) : 0.0f, 2e-4);
}

TEST_P(BloomConvolve, NoPresetChangesThePlainConvolution) {
  const Image image = random_image(30, 20, 8, 3);
  const GlarePicture kernel = random_kernel(7, 5, 9);
  const std::vector<float> plain = bloomed(image, kConvolve, &kernel);
  const google::protobuf::EnumDescriptor& presets = *v1::BloomPreset_descriptor();
  for (int i = 1; i < presets.value_count(); i++)
    EXPECT_EQ(bloomed(image, kConvolve + " preset: " + presets.value(i)->name(), &kernel), plain)
        << presets.value(i)->name();
}

TEST_P(BloomConvolve, ConvolveIsLinearAndCommutes) {
  const Image a = random_image(20, 20, 17), b = random_image(20, 20, 18);
  Image sum(20, 20);
  for (size_t i = 0; i < sum.values.size(); i++) sum.values[i] = a.values[i] + 3.0f * b.values[i];
  const GlarePicture kernel = random_kernel(9, 9, 19);
  const std::vector<float> of_a = bloomed(a, kConvolve, &kernel), of_b = bloomed(b, kConvolve, &kernel);
  std::vector<double> expected(of_a.size());
  for (size_t i = 0; i < expected.size(); i++) expected[i] = double(of_a[i]) + 3.0 * double(of_b[i]);
  const std::vector<float> of_sum = bloomed(sum, kConvolve, &kernel);
  EXPECT_LT(relative_error(of_sum, expected), 2e-6);

  // A kernel of the same size can act as an image. Both are small in a large frame, so that no
  // light leaves the frame.
  const auto as_kernel = [](const Image& image) {
    GlarePicture picture{20, 20, {}};
    for (size_t i = 0; i < image.values.size(); i++)
      if (i % 4 < 3) picture.rgb.push_back(image.values[i]);
    return picture;
  };
  const auto framed = [](const Image& image) {
    Image frame(60, 60);
    for (int y = 0; y < 20; y++)
      for (int x = 0; x < 20; x++)
        for (int c = 0; c < 3; c++) frame.at(20 + x, 20 + y, c) = image.at(x, y, c);
    return frame;
  };
  const GlarePicture kernel_a = as_kernel(a), kernel_b = as_kernel(b);
  EXPECT_LT(relative_error(bloomed(framed(a), kConvolve, &kernel_b),
                           doubles(bloomed(framed(b), kConvolve, &kernel_a))),
            2e-6);
}

TEST_P(BloomConvolve, ConvolveRefusesWhatWouldChangeTheKernel) {
  const GlarePicture kernel = delta(3, 3, 1, 1);
  EXPECT_THAT(refusal(kConvolve), StatusIs(StatusCode::kInvalidArgument, "needs the image of a kernel"));
  for (const char* option : {"size: 1", "rotation: 10", "taper: 0.5", "spike: 0", "radius_cut: 0.5"})
    EXPECT_THAT(refusal(kConvolve + " " + option, {.kernel = &kernel}),
                StatusIs(StatusCode::kInvalidArgument, "takes the kernel as it is"))
        << option;
  EXPECT_THAT(refusal(kConvolve + " centre_x: 3 centre_y: 0", {.kernel = &kernel}),
              StatusIs(StatusCode::kInvalidArgument, "no pixel of its image (3x3)"));
  EXPECT_THAT(refusal(kConvolve + " method: BLOOM_METHOD_DUAL", {.kernel = &kernel}),
              StatusIs(StatusCode::kInvalidArgument, "shape of its own"));
}

WEFT_ON_EVERY_DEVICE(BloomConvolve);

}  // namespace
}  // namespace weft::filters::bloom
