// SPDX-License-Identifier: Apache-2.0
// Tests the denoiser against its model, and its effect, on every device.
#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

constexpr VideoFormat kFormats[] = {
    {1, 1, Chroma::kGray, 8},  {2, 1, Chroma::k422, 12},   {3, 40, Chroma::k444, 8},
    {65, 2, Chroma::k420, 10}, {80, 33, Chroma::k420, 8},  {129, 17, Chroma::kGray, 16},
    {7, 23, Chroma::k422, 9},  {72, 16, Chroma::k444, 14}, {200, 50, Chroma::k420, 8}};

class DenoiseTest : public DeviceTest {
 protected:
  std::vector<Picture> denoised(const std::string& text, const Clip& clip, int batch = 3) {
    const auto made =
        run_clip(device(), {parse_options("dftdenoise", text)}, clip, {.plan = {.batch = batch}});
    EXPECT_THAT(made, IsOk()) << text;
    return made.ok() ? pictures_of(*made) : std::vector<Picture>();
  }
};
WEFT_ON_EVERY_DEVICE(DenoiseTest);

TEST_P(DenoiseTest, WithoutNoiseEachPictureComesBack) {
  for (const VideoFormat& format : kFormats)
    for (int radius = 0; radius <= 2; radius++)
      for (const Material material : kMaterials) {
        const Clip clip = make_clip(format, 4, material, 7);
        expect_same(clip.frames, denoised(fmt::format("sigma: 0 radius: {}", radius), clip),
                    fmt::format("{}, radius {}", to_text(format), radius));
      }
}

TEST_P(DenoiseTest, EverySizeAndDepthGivesWhatTheModelGives) {
  const Registration& filter = *find_filter("dftdenoise");
  for (const VideoFormat& format : kFormats)
    for (int radius = 0; radius <= 2; radius++) {
      Clip clip =
          make_clip(format, 3, radius == 1 ? Material::kMotion : Material::kNoise, uint32_t(format.width));
      clip.infos[1].discontinuity = radius == 2;
      const std::string text = fmt::format("sigma: {} radius: {}", radius == 1 ? 3 : 40, radius);
      expect_like_model(filter, reference(*parse_options("dftdenoise", text), clip).frames,
                        denoised(text, clip), fmt::format("{}, {}", text, to_text(format)));
    }
}

TEST_P(DenoiseTest, BatchesGiveTheSameBytes) {
  const Clip clip = make_clip({100, 40, Chroma::k420, 16}, 7, Material::kMotion, 3);
  const auto wanted = denoised("sigma: 5 radius: 2", clip, 1);
  for (const int batch : {2, 5, 7})
    expect_same(wanted, denoised("sigma: 5 radius: 2", clip, batch), fmt::format("batch {}", batch));
}

TEST_P(DenoiseTest, ChromaPassesWhereItIsNotAskedFor) {
  const Clip clip = make_clip({64, 48, Chroma::k420, 8}, 3, Material::kNoise, 1);
  const auto made = denoised("sigma: 20 chroma: false", clip);
  ASSERT_EQ(made.size(), 3u);
  for (size_t n = 0; n < 3; n++) {
    EXPECT_NE(made[n].planes[0], clip.frames[n].planes[0]);
    for (const size_t plane : {1u, 2u}) EXPECT_EQ(made[n].planes[plane], clip.frames[n].planes[plane]);
  }
}

// Gaussian noise is removed from a picture of stripes, and the stripes remain.
TEST_P(DenoiseTest, NoiseGoesAndStripesStay) {
  constexpr VideoFormat kFormat{96, 64, Chroma::kGray, 8};
  constexpr double kSigma = 6;
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, kSigma);
  const auto clean = [](int x) { return 128 + 60 * std::sin(x * 0.7); };
  Clip clip = make_clip(kFormat, 5, Material::kStatic, 1);
  for (Picture& picture : clip.frames)
    for (int y = 0; y < kFormat.height; y++)
      for (int x = 0; x < kFormat.width; x++)
        picture.at(0, x, y) = uint16_t(std::lround(std::clamp(clean(x) + noise(random), 0.0, 255.0)));
  const auto error = [&](const std::vector<Picture>& pictures) {
    double sum = 0;
    for (int y = 0; y < kFormat.height; y++)
      for (int x = 0; x < kFormat.width; x++) sum += std::pow(pictures[2].at(0, x, y) - clean(x), 2);
    return std::sqrt(sum / (kFormat.width * kFormat.height));
  };
  double last = error(clip.frames);
  EXPECT_NEAR(last, kSigma, 0.3);
  for (int radius = 0; radius <= 2; radius++) {
    const double left = error(denoised(fmt::format("sigma: {} radius: {}", kSigma, radius), clip));
    EXPECT_LT(left, last) << "radius " << radius;
    last = left;
  }
  EXPECT_LT(last, kSigma / 2);
}

}  // namespace
}  // namespace weft::filters
