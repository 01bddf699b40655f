// SPDX-License-Identifier: Apache-2.0
// Tests the scan of a logo with known opacity and colour on plain backgrounds.
#include "server/filters/logo/logo_scan.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/server/filters/logo/made_logo.h"

namespace weft::filters::logo {
namespace {

constexpr MadeLogo kScanned{.x = 32, .y = 18, .width = 48, .height = 36};

struct Seen {
  std::vector<std::vector<uint16_t>> samples;
  std::vector<Background> backgrounds;

  std::vector<ScanFrame> frames() const {
    std::vector<ScanFrame> result;
    for (size_t i = 0; i < samples.size(); i++) result.push_back({samples[i], backgrounds[i]});
    return result;
  }
};

ScanArea area_of(const VideoFormat& format) {
  return {format, kScanned.x, kScanned.y, kScanned.width, kScanned.height};
}

// Returns the rectangle of a frame with a plain background, in 8-bit codes, and noise.
std::vector<uint16_t> rectangle(const ScanArea& area, std::array<int, 3> codes, double strength, int noise,
                                std::mt19937& random) {
  const int scale = 1 << (area.format.bit_depth - 8);
  std::vector<uint16_t> samples;
  for (int plane = 0; plane < area.format.planes(); plane++)
    for (int j = 0; j < area.plane_height(plane); j++)
      for (int i = 0; i < area.plane_width(plane); i++) {
        const double shown = kScanned.shown(codes[size_t(plane)] * scale, plane, area.plane_x(plane) + i,
                                            area.plane_y(plane) + j, area.format, strength);
        const int error = noise == 0 ? 0 : int(random() % uint32_t(2 * noise + 1)) - noise;
        samples.push_back(uint16_t(std::lround(shown) + error * scale));
      }
  return samples;
}

Seen seen(const ScanArea& area, int frames, double strength, int noise, bool has_colours) {
  std::mt19937 random(3);
  Seen result;
  for (int i = 0; i < frames; i++) {
    const int grey = has_colours ? 0 : 128;
    const auto chroma = [&] { return grey > 0 ? grey : 90 + int(random() % 76u); };
    const std::array<int, 3> codes{20 + int(random() % 190u), chroma(), chroma()};
    result.samples.push_back(rectangle(area, codes, strength, noise, random));
    const auto background = background_of(area, border_of(area, result.samples.back()), 12);
    EXPECT_TRUE(background.has_value());
    result.backgrounds.push_back(background.value_or(Background{}));
    for (int plane = 0; plane < area.format.planes(); plane++)
      EXPECT_NEAR(result.backgrounds.back()[size_t(plane)] >> (area.format.bit_depth - 8),
                  codes[size_t(plane)], noise == 0 ? 0 : 1);
  }
  return result;
}

// Expects coefficients within 1% of the logo's.
void expect_logo(const Logo& logo, const VideoFormat& format) {
  const Logo expected = kScanned.logo(format);
  for (int plane = 0; plane < format.planes(); plane++)
    for (size_t i = 0; i < expected.planes[size_t(plane)].a.size(); i++) {
      const double a = double(expected.planes[size_t(plane)].a[i]);
      const double b = double(expected.planes[size_t(plane)].b[i]);
      ASSERT_NEAR(double(logo.planes[size_t(plane)].a[i]) / a, 1, 0.01)
          << "plane " << plane << ", sample " << i;
      ASSERT_NEAR(double(logo.planes[size_t(plane)].b[i]), b, 0.01) << "plane " << plane << ", sample " << i;
    }
}

TEST(LogoScan, FindsTheLogoOnBackgroundsOfSeveralLevels) {
  for (const VideoFormat& format :
       {VideoFormat{320, 240, Chroma::k420, 8}, VideoFormat{320, 240, Chroma::k422, 10},
        VideoFormat{320, 1080, Chroma::k444, 16}, VideoFormat{320, 240, Chroma::kGray, 8}})
    for (const int noise : {0, 1}) {
      SCOPED_TRACE(fmt::format("{} bits, noise {}", format.bit_depth, noise));
      const ScanArea area = area_of(format);
      const Seen all = seen(area, noise == 0 ? 60 : 2000, 1, noise, true);
      const auto logo = scan_logo(area, all.frames());
      ASSERT_THAT(logo, IsOk());
      EXPECT_EQ(logo->image_width, 320);
      expect_logo(*logo, format);
    }
}

// Without colours, chroma has the opacity of luma.
TEST(LogoScan, FindsChromaOnGreyBackgrounds) {
  const VideoFormat format{320, 240, Chroma::k420, 8};
  const ScanArea area = area_of(format);
  const auto logo = scan_logo(area, seen(area, 300, 1, 1, false).frames());
  ASSERT_THAT(logo, IsOk());
  expect_logo(*logo, format);
}

// Frames without the logo, and with a part of it, are recognized and left out.
TEST(LogoScan, LeavesOutFramesWithoutTheLogo) {
  const VideoFormat format{320, 240, Chroma::k420, 8};
  const ScanArea area = area_of(format);
  Seen all = seen(area, 200, 1, 0, true);
  for (const double strength : {0.0, 0.3}) {
    const Seen others = seen(area, 40, strength, 0, true);
    all.samples.insert(all.samples.end(), others.samples.begin(), others.samples.end());
    all.backgrounds.insert(all.backgrounds.end(), others.backgrounds.begin(), others.backgrounds.end());
  }
  const auto logo = scan_logo(area, all.frames());
  ASSERT_THAT(logo, IsOk());
  expect_logo(*logo, format);
}

TEST(LogoScan, OneBackgroundIsNotEnough) {
  const ScanArea area = area_of({320, 240, Chroma::k420, 8});
  std::mt19937 random(1);
  Seen all;
  for (int i = 0; i < 20; i++) {
    all.samples.push_back(rectangle(area, {100, 128, 128}, 1, 0, random));
    all.backgrounds.push_back({100, 128, 128});
  }
  EXPECT_THAT(scan_logo(area, all.frames()).status(),
              StatusIs(StatusCode::kInvalidArgument, "20 frames with a plain background"));
  EXPECT_THAT(scan_logo(area, {}).status(), StatusIs(StatusCode::kInvalidArgument, "0 frames"));
}

// The threshold is 12 at 1080 rows, and 12 * 1.75 = 21 from 1080 / 1.75^2 rows down.
TEST(LogoScan, ABorderThatVariesMoreThanTheThresholdIsRefused) {
  for (const auto& [height, bits, limit] : {std::tuple(1080, 8, 12), {1080, 10, 48}, {240, 8, 21}}) {
    const ScanArea area = area_of({320, height, Chroma::k420, bits});
    std::mt19937 random(1);
    std::vector<uint16_t> border = border_of(area, rectangle(area, {100, 90, 80}, 1, 0, random));
    ASSERT_EQ(border.size(), area.border_samples());
    const int scale = 1 << (bits - 8);
    border[3] = uint16_t(100 * scale + limit);
    EXPECT_EQ(background_of(area, border, 12), (Background{100 * scale, 90 * scale, 80 * scale}));
    border[3]++;
    EXPECT_FALSE(background_of(area, border, 12).has_value());
    border[3] = uint16_t(100 * scale);
    border.back() = uint16_t(80 * scale + limit + 1);
    EXPECT_FALSE(background_of(area, border, 12).has_value()) << "each plane counts";
  }
}

}  // namespace
}  // namespace weft::filters::logo
