// SPDX-License-Identifier: Apache-2.0
// Tests resizing against the same sums in double precision, its sizes, and its description of the
// output pictures.
#include <cmath>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/models/resize_reference.h"

namespace weft::filters {
namespace {

class ResizeTest : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(ResizeTest);

constexpr const char* kKernels[] = {"POINT",    "BILINEAR", "BICUBIC",  "LANCZOS2", "LANCZOS3", "LANCZOS4",
                                    "SPLINE16", "SPLINE36", "SPLINE64", "BLACKMAN", "GAUSS",    "SINC"};

// The new size is larger, smaller, or both.
TEST_P(ResizeTest, IsWithinACodeOfDoubles) {
  constexpr VideoFormat kFormats[] = {{64, 48, Chroma::k420, 8},  {61, 47, Chroma::k422, 10},
                                      {52, 38, Chroma::k444, 12}, {50, 40, Chroma::k420, 16},
                                      {72, 30, Chroma::k411, 9},  {44, 44, Chroma::k440, 14}};
  constexpr const char* kSizes[] = {"97x-1", "31x19", "120x20", "20x101", "64x31"};
  uint32_t seed = 0;
  for (const char* kernel : kKernels)
    for (const VideoFormat& format : kFormats) {
      const char* size = kSizes[seed++ % std::size(kSizes)];
      const auto site = ChromaSiting(int(seed % 7) - 1);
      const Options options =
          parse_options("resize", fmt::format("size: '{}' kernel: RESIZE_KERNEL_{}", size, kernel));
      const Clip clip = make_clip(format, 1, kMaterials[seed % 2], seed);
      RunOptions how;
      how.properties.chroma_siting = site;
      const auto actual = run_clip(device(), {options}, clip, how);
      ASSERT_THAT(actual, IsOk());
      const auto expected =
          plain::resized_in_doubles(dynamic_cast<const v1::Resize&>(*options), clip.frames[0], site);
      const Picture& picture = (*actual)[0].picture;
      for (size_t plane = 0; plane < expected.size(); plane++)
        for (size_t i = 0; i < expected[plane].size(); i++) {
          const double code = std::clamp(expected[plane][i], 0.0, std::exp2(format.bit_depth) - 1);
          ASSERT_NEAR(picture.planes[plane][i], code, 1)
              << kernel << " " << size << " " << to_text(format) << " plane " << plane << " sample " << i;
        }
    }
}

// Extreme bicubic kernels are as exact as others if they are accepted. Those with weights that
// cancel out are refused.
TEST_P(ResizeTest, ExtremeKernelsAreExactOrRefused) {
  const VideoFormat format{40, 30, Chroma::k420, 8};
  const Clip clip = make_clip(format, 1, Material::kNoise, 9);
  for (const char* kernel : {"b: 10 c: 10", "b: -10 c: 10", "b: 10 c: -10", "b: -10 c: -10"})
    for (int side = 3; side < 90; side += 7) {
      const Options options = parse_options(
          "resize", fmt::format("size: '{0}x{0}' kernel: RESIZE_KERNEL_BICUBIC {1}", side, kernel));
      const auto actual = run_clip(device(), {options}, clip);
      if (!actual.ok()) {
        EXPECT_THAT(actual.status(), StatusIs(StatusCode::kInvalidArgument, "cancel each other out"));
        continue;
      }
      const auto expected =
          plain::resized_in_doubles(dynamic_cast<const v1::Resize&>(*options), clip.frames[0]);
      for (size_t i = 0; i < expected[0].size(); i++)
        ASSERT_NEAR((*actual)[0].picture.planes[0][i], std::clamp(expected[0][i], 0.0, 255.0), 1)
            << kernel << " " << side;
    }
}

// Flat areas stay the same to the last bit, as the weights sum up to exactly 1.
TEST_P(ResizeTest, FlatPicturesStayFlat) {
  for (const char* kernel : kKernels)
    for (const VideoFormat& format :
         {VideoFormat{40, 30, Chroma::k420, 8}, VideoFormat{40, 30, Chroma::k420, 16}}) {
      Clip clip = make_clip(format, 1, Material::kStatic, 1);
      for (auto& plane : clip.frames[0].planes)
        std::ranges::fill(plane, uint16_t(201 << (format.bit_depth - 8)));
      for (const char* size : {"61x44", "17x19"}) {
        const auto actual = run_clip(
            device(),
            {parse_options("resize", fmt::format("size: '{}' kernel: RESIZE_KERNEL_{}", size, kernel))},
            clip);
        ASSERT_THAT(actual, IsOk());
        for (const auto& plane : (*actual)[0].picture.planes)
          for (const uint16_t sample : plane)
            ASSERT_EQ(sample, clip.frames[0].planes[0][0]) << kernel << " " << size;
      }
    }
}

// A ramp remains the same ramp at the positions of the chroma samples.
TEST_P(ResizeTest, ChromaLiesAtItsSite) {
  const VideoFormat format{64, 64, Chroma::k420, 16};
  const struct {
    ChromaSiting site;
    double x, y;
  } sites[] = {{ChromaSiting::kUnknown, 0.5, 1}, {ChromaSiting::kLeft, 0.5, 1},
               {ChromaSiting::kCentre, 1, 1},    {ChromaSiting::kTopLeft, 0.5, 0.5},
               {ChromaSiting::kTop, 1, 0.5},     {ChromaSiting::kBottomLeft, 0.5, 1.5},
               {ChromaSiting::kBottom, 1, 1.5}};
  for (const auto& [site, x0, y0] : sites) {
    Clip clip = make_clip(format, 1, Material::kStatic, 1);
    const auto ramp = [](double x, double y) { return 400 * x + 300 * y + 5000; };
    for (int y = 0; y < 32; y++)
      for (int x = 0; x < 32; x++)
        clip.frames[0].at(1, x, y) = uint16_t(std::lround(ramp(2 * x + x0, 2 * y + y0)));
    RunOptions how;
    how.properties.chroma_siting = site;
    const auto actual = run_clip(
        device(), {parse_options("resize", "size: '96x80' kernel: RESIZE_KERNEL_BILINEAR")}, clip, how);
    ASSERT_THAT(actual, IsOk());
    for (int y = 4; y < 36; y++)
      for (int x = 4; x < 44; x++)
        ASSERT_NEAR((*actual)[0].picture.at(1, x, y), ramp((2 * x + x0) * 64 / 96, (2 * y + y0) * 64 / 80), 2)
            << "site " << int(site) << " x " << x << " y " << y;
  }
}

TEST(ResizeSizes, KeepTheAspectRatio) {
  const auto size_for = [](const char* size, int width, int height) {
    const auto network = expand(nullptr, {parse_options("resize", fmt::format("size: '{}'", size))},
                                {width, height, Chroma::k420, 8});
    if (!network.ok()) return std::string(message_of(network.status()));
    const VideoFormat& format = network->format({network->outputs()[0]}).video;
    return fmt::format("{}x{}", format.width, format.height);
  };
  EXPECT_EQ(size_for("1280x720", 1920, 1080), "1280x720");
  EXPECT_EQ(size_for("1280x-1", 1920, 1080), "1280x720");
  EXPECT_EQ(size_for("-1x100", 333, 250), "133x100");
  EXPECT_EQ(size_for("-2x100", 333, 250), "134x100");
  EXPECT_EQ(size_for("-16x100", 333, 250), "128x100");
  EXPECT_THAT(size_for("-1x-2", 333, 250), testing::HasSubstr("Both sides"));
  EXPECT_THAT(size_for("-1x100", 16000, 16), testing::HasSubstr("out of range"));
  for (const char* bad : {"1280", "1280x", "x720", "1280x720x3", "wide", "1280X720", " 1x1"})
    EXPECT_THAT(size_for(bad, 333, 250), testing::HasSubstr("is not a size")) << bad;
  EXPECT_THAT(size_for("0x720", 333, 250), testing::HasSubstr("out of range"));
  EXPECT_THAT(size_for("16385x720", 333, 250), testing::HasSubstr("out of range"));
}

TEST(ResizeSizes, TheDisplayAspectStays) {
  const auto aspect = [](const char* size, Rate from) {
    const auto network = expand(nullptr, {parse_options("resize", fmt::format("size: '{}'", size))},
                                {720, 576, Chroma::k420, 8}, {.sample_aspect = from});
    return network.value().properties({network->outputs()[0]}).sample_aspect;
  };
  EXPECT_EQ(aspect("1024x576", {64, 45}), (Rate{1, 1}));
  EXPECT_EQ(aspect("720x288", {1, 1}), (Rate{1, 2}));
  EXPECT_EQ(aspect("1440x1152", {16, 11}), (Rate{16, 11}));
  EXPECT_EQ(aspect("1024x576", {0, 1}), (Rate{0, 1}));
}

TEST(ResizeSizes, InterlacedVideoIsRefused) {
  EXPECT_THAT(expand(nullptr, {parse_options("resize", "size: '64x32'")}, {720, 576, Chroma::k420, 8},
                     {.interlaced = true})
                  .status(),
              StatusIs(StatusCode::kInvalidArgument, "deinterlace it first"));
  EXPECT_THAT(expand(nullptr, {parse_options("bwdif", ""), parse_options("resize", "size: '64x32'")},
                     {720, 576, Chroma::k420, 8}, {.interlaced = true}),
              IsOk());
}

}  // namespace
}  // namespace weft::filters
