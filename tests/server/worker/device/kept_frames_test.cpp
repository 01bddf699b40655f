// SPDX-License-Identifier: Apache-2.0
// Tests frames as NVDEC leaves them, in memory that the CPU device uses as its own.
#include "server/worker/device/kept_frames.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

#include "server/graph/frame_layout.h"
#include "server/media/pixel_format.h"
#include "server/media/read/pictures/surface.h"

namespace weft::worker {
namespace {

using media::FramePtr;

class KeptFramesTest : public testing::Test {
 protected:
  FramePtr random_frame(AVPixelFormat stored, int width, int height) {
    FramePtr frame(av_frame_alloc());
    frame->format = stored;
    frame->width = width;
    frame->height = height;
    EXPECT_EQ(av_frame_get_buffer(frame.get(), 0), 0);
    for (const AVBufferRef* buffer : frame->buf)
      if (buffer != nullptr) std::generate_n(buffer->data, buffer->size, [&] { return uint8_t(random_()); });
    return frame;
  }
  // Returns the hash of the frame after a copy through host memory.
  static uint64_t hash_of(const AVFrame& frame, const VideoFormat& format) {
    const media::PackedLayout layout = media::layout_planes(format);
    std::vector<uint8_t> samples(layout.bytes);
    media::PictureView picture{.format = format};
    for (size_t plane = 0; plane < 3; plane++) {
      picture.plane[plane] = samples.data() + layout.offset[plane];
      picture.stride_bytes[plane] = layout.stride_bytes[plane];
    }
    media::unpack(frame, picture);
    return media::hash_picture(picture);
  }

  std::unique_ptr<device::Device> device_ = device::open_device("cpu").value();
  std::unique_ptr<device::Stream> stream_ = device_->make_stream().value();
  std::mt19937 random_{20261202};
};

TEST_F(KeptFramesTest, HaveTheSamplesThatComeByTheHost) {
  for (const AVPixelFormat stored :
       {AV_PIX_FMT_NV12, AV_PIX_FMT_P010LE, AV_PIX_FMT_P016LE, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P16LE,
        AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV21}) {
    const FramePtr frame = random_frame(stored, 177, 91);
    const auto surface = media::surface_of(*frame, stored);
    ASSERT_TRUE(surface.has_value()) << stored;
    const auto frames = KeptFrames::make(*device_, surface->format, 2);
    ASSERT_THAT(frames, IsOk());
    const auto kept = (*frames)->enqueue(*stream_, *surface);
    ASSERT_NE(kept, nullptr);
    const auto picture = (*frames)->read(*stream_, *kept);
    ASSERT_THAT(picture, IsOk());
    EXPECT_EQ(media::hash_picture(*picture), hash_of(*frame, surface->format)) << stored;
  }
}

TEST_F(KeptFramesTest, WhatASurfaceCannotSayIsNone) {
  for (const AVPixelFormat stored : {AV_PIX_FMT_YUYV422, AV_PIX_FMT_P010BE, AV_PIX_FMT_RGB24}) {
    const FramePtr frame = random_frame(stored, 64, 32);
    EXPECT_FALSE(media::surface_of(*frame, stored).has_value()) << stored;
  }
}

TEST_F(KeptFramesTest, ASlotComesBackWithItsFrame) {
  const FramePtr frame = random_frame(AV_PIX_FMT_NV12, 64, 32);
  const Surface surface = *media::surface_of(*frame, AV_PIX_FMT_NV12);
  auto frames = KeptFrames::make(*device_, surface.format, 2).value();
  auto first = frames->enqueue(*stream_, surface);
  auto second = frames->enqueue(*stream_, surface);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first->offset_bytes, second->offset_bytes);
  EXPECT_EQ(frames->enqueue(*stream_, surface), nullptr);
  first.reset();
  first = frames->enqueue(*stream_, surface);
  EXPECT_NE(first, nullptr);
  ASSERT_THAT(stream_->wait_all(), IsOk());
  frames.reset();
  EXPECT_GT(device_->memory_used_bytes(), 0u) << "frames keep their memory";
  first.reset();
  second.reset();
  EXPECT_EQ(device_->memory_used_bytes(), 0u);
}

TEST_F(KeptFramesTest, AnotherFormatIsNotKept) {
  const FramePtr frame = random_frame(AV_PIX_FMT_NV12, 64, 32);
  const Surface surface = *media::surface_of(*frame, AV_PIX_FMT_NV12);
  const auto frames = KeptFrames::make(*device_, {64, 30, Chroma::k420, 8}, 2);
  ASSERT_THAT(frames, IsOk());
  EXPECT_EQ((*frames)->enqueue(*stream_, surface), nullptr);
}

TEST_F(KeptFramesTest, TooLittleMemoryIsAnError) {
  device::DeviceInfo info = device_->info();
  info.memory_bytes = 100'000;
  const auto small = device::open_device(info).value();
  EXPECT_THAT(KeptFrames::make(*small, {640, 480, Chroma::k420, 8}, 2),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(small->memory_used_bytes(), 0u);
}

}  // namespace
}  // namespace weft::worker
