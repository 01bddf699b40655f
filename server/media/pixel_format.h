// SPDX-License-Identifier: Apache-2.0
// Between FFmpeg's many pixel formats and our planes: which ones hold the same samples, and how to move them.
#pragma once

#include <optional>
#include <string>

#include "base/video_format.h"
#include "server/media/ffmpeg.h"
#include "server/media/frame_hash.h"

namespace weft::media {

// The samples of an FFmpeg format as ours; nullopt when they are not gray or luma and chroma of one of our layouts, of 8 to
// 16 bits. Alpha is none of our samples: it is left behind.
std::optional<VideoFormat> format_of(AVPixelFormat stored, int width, int height);
bool has_alpha(AVPixelFormat stored);

// Whether planes in memory are laid out as ours, so that nothing has to be moved.
bool is_planar(AVPixelFormat stored);

// FFmpeg's planar format with these samples; AV_PIX_FMT_NONE when there is none (a gray of 11 bits).
AVPixelFormat planar_format(const VideoFormat& format);

// Moves samples, unchanged, from any format that format_of() knows to planes and back. `planes` are of the format given. pack()
// leaves alpha as it is.
void unpack(const AVFrame& stored, const PictureView& planes);
void pack(const PictureView& planes, AVFrame& stored);

// Planes within one packed allocation, rows aligned to 64 bytes.
struct PackedLayout {
  std::array<size_t, 3> offset{};
  std::array<ptrdiff_t, 3> stride_bytes{};
  size_t bytes = 0;
};
PackedLayout layout_planes(const VideoFormat& format);

// "10-bit 4:2:2", for messages.
std::string describe(const VideoFormat& format);

}  // namespace weft::media
