// SPDX-License-Identifier: Apache-2.0
// Converts between FFmpeg's pixel formats and Weft's planes: finds formats with equal samples and
// moves the samples.
#pragma once

#include <optional>
#include <string>

#include "base/video_format.h"
#include "server/media/ffmpeg.h"
#include "server/media/frame_hash.h"

namespace weft::media {

// Returns Weft's format for an FFmpeg format. Returns nullopt unless the format is gray, or luma
// and chroma in a supported layout, with 8 to 16 bits. Alpha is ignored.
std::optional<VideoFormat> format_of(AVPixelFormat stored, int width, int height);
bool has_alpha(AVPixelFormat stored);

// Returns true if the planes in memory have Weft's layout, so that no samples need moving.
bool is_planar(AVPixelFormat stored);

// Returns FFmpeg's planar format with the samples of `format`, or AV_PIX_FMT_NONE if FFmpeg has
// none (gray of 11 bits).
AVPixelFormat planar_format(const VideoFormat& format);

// Move samples unchanged between a format that format_of() accepts and planes of the format
// `planes.format`. pack() does not write alpha.
void unpack(const AVFrame& stored, const PictureView& planes);
void pack(const PictureView& planes, AVFrame& stored);

// Layout of a frame's planes in one allocation; rows are aligned to 64 bytes.
struct PackedLayout {
  std::array<size_t, 3> offset{};
  std::array<ptrdiff_t, 3> stride_bytes{};
  size_t bytes = 0;
};
PackedLayout layout_planes(const VideoFormat& format);

// Returns the bit depth and the subsampling for messages: "10-bit 4:2:2".
std::string describe(const VideoFormat& format);

}  // namespace weft::media
