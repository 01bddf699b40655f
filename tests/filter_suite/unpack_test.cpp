// SPDX-License-Identifier: Apache-2.0
// Tests decoders' surfaces of random bytes against a model. The bytes around the frame are known.
#include "server/filters/nodes/unpack.h"

#include <cstring>
#include <random>

#include "tests/filter_suite/devices.h"

namespace weft::filters {
namespace {

using device::Buffer;
using device::MemoryKind;
using Bytes = std::vector<std::byte>;

class UnpackTest : public DeviceTest {
 protected:
  std::unique_ptr<Buffer> upload(const Bytes& bytes) {
    auto buffer = device().allocate(MemoryKind::kDevice, bytes.size()).value();
    const auto staging = device().allocate(MemoryKind::kUpload, bytes.size()).value();
    std::memcpy(staging->host(), bytes.data(), bytes.size());
    stream_->copy(*buffer, 0, *staging, 0, bytes.size());
    EXPECT_THAT(stream_->wait_all(), IsOk());
    return buffer;
  }
  Bytes download(const Buffer& buffer) {
    const auto staging = device().allocate(MemoryKind::kDownload, buffer.size_bytes()).value();
    stream_->copy(*staging, 0, buffer, 0, buffer.size_bytes());
    EXPECT_THAT(stream_->wait_all(), IsOk());
    return {staging->host(), staging->host() + buffer.size_bytes()};
  }

  void check(const VideoFormat& format, bool in_pairs, int shift);

  std::unique_ptr<device::Stream> stream_ = device().make_stream().value();
  std::mt19937 random_{20261202};
};

// Offsets of a surface's planes in a buffer.
struct SurfaceLayout {
  size_t offset[3] = {0, 0, 0};
  size_t bytes = 0;
};

SurfaceLayout lay_out(const VideoFormat& format, bool in_pairs, std::mt19937& random, Surface& surface) {
  SurfaceLayout surface_layout;
  const size_t sample = size_t(format.sample_bytes());
  const auto gap = [&] { return sample * (random() % 40); };
  const size_t chroma_stride = size_t(format.plane_width(1)) * sample * (in_pairs ? 2 : 1) + gap();
  for (size_t plane = 0; plane < size_t(format.planes()); plane++) {
    const size_t stride = plane == 0 ? size_t(format.width) * sample + gap() : chroma_stride;
    surface_layout.offset[plane] = surface_layout.bytes + gap();
    if (in_pairs && plane == 2) surface_layout.offset[2] = surface_layout.offset[1] + sample;
    surface.stride_bytes[plane] = int(stride);
    surface_layout.bytes =
        std::max(surface_layout.bytes,
                 surface_layout.offset[plane] + stride * size_t(format.plane_height(int(plane))));
  }
  surface_layout.bytes += sample;
  return surface_layout;
}

// Computes the expected content of `target`, with a frame from `offset` on.
void model(const Bytes& source, const SurfaceLayout& surface_layout, const Surface& surface,
           const FrameLayout& layout, size_t offset, Bytes& target) {
  const size_t sample = size_t(layout.format.sample_bytes());
  for (size_t plane = 0; plane < size_t(layout.format.planes()); plane++) {
    const size_t step = sample * (plane == 0 ? 1 : size_t(surface.chroma_step));
    for (size_t y = 0; y < size_t(layout.planes[plane].height); y++)
      for (size_t x = 0; x < size_t(layout.planes[plane].width); x++) {
        uint16_t value = 0;
        std::memcpy(
            &value,
            &source[surface_layout.offset[plane] + y * size_t(surface.stride_bytes[plane]) + x * step],
            sample);
        value = uint16_t(value >> surface.shift);
        std::memcpy(&target[offset + layout.planes[plane].offset_bytes +
                            y * size_t(layout.planes[plane].stride_bytes) + x * sample],
                    &value, sample);
      }
  }
}

void UnpackTest::check(const VideoFormat& format, bool in_pairs, int shift) {
  const auto layout = FrameLayout::of(format, 64 * (random_() % 3));
  const auto unpack = Unpack::make(device(), layout);
  ASSERT_THAT(unpack, IsOk());
  Surface surface{.format = format, .chroma_step = in_pairs ? 2 : 1, .shift = shift};
  const SurfaceLayout surface_layout = lay_out(format, in_pairs, random_, surface);
  Bytes source(surface_layout.bytes);
  for (std::byte& byte : source) byte = std::byte(random_() & 0xff);
  const size_t offset = FrameLayout::kPlaneAlignment * (1 + random_() % 4);
  Bytes expected(offset + layout.frame_bytes + 256, std::byte(0xCD));
  const auto from = upload(source), to = upload(expected);
  for (size_t plane = 0; plane < size_t(format.planes()); plane++)
    surface.plane[plane] = from->address() + surface_layout.offset[plane];
  ASSERT_TRUE(unpack->takes(surface)) << to_text(format);
  unpack->enqueue(*stream_, surface, *to, offset);
  ASSERT_THAT(stream_->wait_all(), IsOk());
  model(source, surface_layout, surface, layout, offset, expected);
  EXPECT_TRUE(download(*to) == expected) << to_text(format) << ", shift " << shift;
  EXPECT_TRUE(download(*from) == source);
}

TEST_P(UnpackTest, GivesPlanes) {
  constexpr int kSizes[][2] = {{1, 1}, {2, 2}, {3, 5}, {33, 17}, {64, 4}, {67, 30}, {176, 144}, {720, 486}};
  for (const auto& [width, height] : kSizes) {
    check({width, height, Chroma::k420, 8}, true, 0);    // NV12
    check({width, height, Chroma::k420, 10}, true, 6);   // P010
    check({width, height, Chroma::k420, 16}, true, 0);   // P016
    check({width, height, Chroma::k444, 8}, false, 0);   // yuv444p
    check({width, height, Chroma::k444, 16}, false, 0);  // yuv444p16
    check({width, height, Chroma::k420, 12}, false, 4);
    check({width, height, Chroma::k422, 8}, true, 0);  // NV16
    check({width, height, Chroma::kGray, 8}, false, 0);
  }
}

TEST_P(UnpackTest, RefusesWhatItCannotRead) {
  const VideoFormat format{64, 32, Chroma::k420, 10};
  const Unpack unpack = Unpack::make(device(), FrameLayout::of(format)).value();
  const Surface good{format, {4096, 8192, 8194}, {128, 128, 128}, 2, 6};
  EXPECT_TRUE(unpack.takes(good));
  const auto with = [&](auto change) {
    Surface surface = good;
    change(surface);
    return surface;
  };
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.format.height = 30; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.format.bit_depth = 8; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.plane[0] = 0; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.plane[1] = 8191; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.stride_bytes[0] = -128; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.stride_bytes[0] = 126; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.stride_bytes[0] = 129; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.stride_bytes[2] = 130; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.shift = 16; })));
  EXPECT_FALSE(unpack.takes(with([](Surface& s) { s.chroma_step = 0; })));
}

WEFT_ON_EVERY_DEVICE(UnpackTest);

}  // namespace
}  // namespace weft::filters
