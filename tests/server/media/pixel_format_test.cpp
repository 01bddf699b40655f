// SPDX-License-Identifier: Apache-2.0
#include "server/media/pixel_format.h"

#include <random>

#include <gtest/gtest.h>

namespace weft::media {
namespace {

// Every supported pixel format of FFmpeg returns the samples that were put in.
TEST(PixelFormat, PacksAndUnpacksWithoutChange) {
  std::mt19937 random(3);
  int formats = 0;
  for (const AVPixFmtDescriptor* descriptor = nullptr;
       (descriptor = av_pix_fmt_desc_next(descriptor)) != nullptr;) {
    const AVPixelFormat stored = av_pix_fmt_desc_get_id(descriptor);
    const auto format = format_of(stored, 38, 22);
    if (!format) continue;
    formats++;
    const PackedLayout layout = layout_planes(*format);
    std::vector<uint8_t> in(layout.bytes);
    std::vector<uint8_t> out(layout.bytes);
    const auto view = [&](std::vector<uint8_t>& bytes) {
      PictureView picture{.format = *format};
      for (size_t plane = 0; plane < size_t(format->planes()); plane++) {
        picture.plane[plane] = bytes.data() + layout.offset[plane];
        picture.stride_bytes[plane] = layout.stride_bytes[plane];
      }
      return picture;
    };
    if (format->sample_bytes() == 1) {
      for (uint8_t& byte : in) byte = uint8_t(random());
    } else {
      for (size_t i = 0; i + 1 < in.size(); i += 2) {
        const unsigned sample = unsigned(random()) & ((1u << format->bit_depth) - 1);
        in[i] = uint8_t(sample);
        in[i + 1] = uint8_t(sample >> 8);
      }
    }
    const FramePtr frame(av_frame_alloc());
    frame->format = stored;
    frame->width = format->width;
    frame->height = format->height;
    ASSERT_EQ(av_frame_get_buffer(frame.get(), 0), 0) << descriptor->name;
    pack(view(in), *frame);
    unpack(*frame, view(out));
    EXPECT_EQ(hash_picture(view(in)), hash_picture(view(out))) << descriptor->name;
  }
  EXPECT_GE(formats, 40);
}

TEST(PixelFormat, RefusesWhatIsNotLumaAndChroma) {
  for (const AVPixelFormat refused : {AV_PIX_FMT_RGB24, AV_PIX_FMT_GBRP, AV_PIX_FMT_GBRAP, AV_PIX_FMT_PAL8,
                                      AV_PIX_FMT_MONOBLACK, AV_PIX_FMT_UYYVYY411, AV_PIX_FMT_GRAYF32LE,
                                      AV_PIX_FMT_XYZ12LE, AV_PIX_FMT_CUDA, AV_PIX_FMT_BAYER_BGGR8})
    EXPECT_FALSE(format_of(refused, 16, 16).has_value()) << av_get_pix_fmt_name(refused);
}

TEST(PixelFormat, TakesTheSamplesBesideAlpha) {
  EXPECT_EQ(format_of(AV_PIX_FMT_YUVA420P, 18, 10), (VideoFormat{18, 10, Chroma::k420, 8}));
  EXPECT_EQ(format_of(AV_PIX_FMT_YUVA444P12LE, 18, 10), (VideoFormat{18, 10, Chroma::k444, 12}));
  EXPECT_EQ(format_of(AV_PIX_FMT_YA16LE, 18, 10), (VideoFormat{18, 10, Chroma::kGray, 16}));
  EXPECT_TRUE(has_alpha(AV_PIX_FMT_YUVA422P10LE));
  EXPECT_FALSE(has_alpha(AV_PIX_FMT_YUV422P10LE));
  EXPECT_TRUE(is_planar(AV_PIX_FMT_YUVA422P)) << "nothing has to be moved";
}

TEST(PixelFormat, KnowsTheRareLayoutsOfChroma) {
  const auto dv = format_of(AV_PIX_FMT_YUV411P, 721, 480);
  EXPECT_EQ(dv, (VideoFormat{721, 480, Chroma::k411, 8}));
  EXPECT_EQ(dv->plane_width(1), 181);
  EXPECT_EQ(dv->plane_height(1), 480);
  const auto quarter = format_of(AV_PIX_FMT_YUV410P, 9, 9);
  EXPECT_EQ(quarter, (VideoFormat{9, 9, Chroma::k410, 8}));
  EXPECT_EQ(quarter->plane_width(2), 3);
  EXPECT_EQ(quarter->plane_height(2), 3);
  const auto rows = format_of(AV_PIX_FMT_YUV440P12LE, 9, 9);
  EXPECT_EQ(rows, (VideoFormat{9, 9, Chroma::k440, 12}));
  EXPECT_EQ(rows->plane_width(1), 9);
  EXPECT_EQ(rows->plane_height(1), 5);
  EXPECT_EQ(planar_format(*rows), AV_PIX_FMT_YUV440P12LE);
}

TEST(PixelFormat, NamesThePlanarOne) {
  EXPECT_EQ(planar_format({.width = 2, .height = 2, .chroma = Chroma::k422, .bit_depth = 10}),
            AV_PIX_FMT_YUV422P10LE);
  EXPECT_EQ(planar_format({.width = 2, .height = 2, .chroma = Chroma::kGray, .bit_depth = 8}),
            AV_PIX_FMT_GRAY8);
  EXPECT_EQ(planar_format({.width = 2, .height = 2, .chroma = Chroma::kGray, .bit_depth = 11}),
            AV_PIX_FMT_NONE);
  EXPECT_TRUE(is_planar(AV_PIX_FMT_YUVJ420P));
  EXPECT_FALSE(is_planar(AV_PIX_FMT_NV12));
  EXPECT_FALSE(is_planar(AV_PIX_FMT_YUV420P10BE));
}

}  // namespace
}  // namespace weft::media
