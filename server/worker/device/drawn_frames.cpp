// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/drawn_frames.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::worker {
namespace {

// Draws edges and slopes that move from frame to frame, with a little noise, so that all code paths
// of filters are executed.
void draw(const VideoFormat& format, int64_t frame, const graph::StagedUnit& staged) {
  const uint32_t mask = (1u << format.bit_depth) - 1;
  uint32_t noise = 1 + uint32_t(frame);
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++) {
      std::byte* row = staged.data[plane] + ptrdiff_t(y) * staged.stride_bytes[plane];
      for (int x = 0; x < format.plane_width(plane); x++) {
        noise = noise * 1664525u + 1013904223u;
        const uint32_t edges = uint32_t(x + 3 * frame) / 24 % 2 * (mask / 3);
        const uint32_t value = (edges + uint32_t(x) + 2 * uint32_t(y) + (noise >> 29)) & mask;
        if (format.sample_bytes() == 1) {
          row[x] = std::byte(value);
        } else {
          const auto word = uint16_t(value);
          std::memcpy(row + 2 * ptrdiff_t(x), &word, sizeof(word));
        }
      }
    }
}

// Returns the bits of a half with the value eighths / 8: 1 of sign, 5 of the exponent and 15, 10 of
// the mantissa without its first bit (IEEE 754).
uint16_t half_of_eighths(uint32_t eighths) {
  if (eighths == 0) return 0;
  const int top = int(std::bit_width(eighths)) - 1;
  return uint16_t(uint32_t(top - 3 + 15) << 10 | ((eighths << 10 >> top) & 0x3FF));
}

void draw_bytes(size_t bytes, int64_t unit, std::byte* to) {
  uint32_t noise = 1 + uint32_t(unit);
  for (size_t i = 0; i < bytes; i++) {
    noise = noise * 1664525u + 1013904223u;
    to[i] = std::byte(noise >> 24);
  }
}

// Draws the same content in the samples of pixels; some samples exceed white.
void draw_pixels(const graph::PortFormat& format, int64_t frame, std::byte* to) {
  uint32_t noise = 1 + uint32_t(frame);
  for (int y = 0; y < format.height; y++)
    for (int x = 0; x < format.width; x++)
      for (int channel = 0; channel < 4; channel++) {
        noise = noise * 1664525u + 1013904223u;
        const uint32_t edges = uint32_t(x + 3 * frame) / 24 % 2;
        const uint32_t eighths = channel == 3 ? 8 : 3 * edges + uint32_t(x + 2 * y) % 8 + (noise >> 30);
        // Eighths up to 1.6 are exact in a half.
        if (format.pixels == graph::PixelType::kFloat) {
          const float sample = float(eighths) / 8;
          std::memcpy(to, &sample, sizeof(sample));
          to += sizeof(sample);
        } else {
          const uint16_t sample = half_of_eighths(eighths);
          std::memcpy(to, &sample, sizeof(sample));
          to += sizeof(sample);
        }
      }
}

// The rows of a format's planes in memory.
struct RowsOf {
  int planes = 1;
  size_t bytes[3] = {};  // bytes of a row
  int rows[3] = {1, 1, 1};

  explicit RowsOf(const graph::PortFormat& format) {
    switch (format.kind) {
      case graph::PortKind::kPicture:
        planes = format.video.planes();
        for (int plane = 0; plane < planes; plane++) {
          bytes[plane] = size_t(format.video.plane_width(plane)) * size_t(format.video.sample_bytes());
          rows[plane] = format.video.plane_height(plane);
        }
        break;
      case graph::PortKind::kPixels:
        bytes[0] = size_t(format.width) * size_t(format.height) * graph::bytes_of_pixel(format.pixels);
        break;
      case graph::PortKind::kTensor:
      case graph::PortKind::kBytes:
        bytes[0] = format.bytes;
        break;
    }
  }
  size_t all() const {
    size_t sum = 0;
    for (int plane = 0; plane < planes; plane++) sum += bytes[plane] * size_t(rows[plane]);
    return sum;
  }
};

void draw_frame(const graph::PortFormat& format, const RowsOf& rows, int64_t number,
                std::vector<std::byte>& frame) {
  frame.resize(rows.all());
  graph::StagedUnit packed;
  std::byte* next = frame.data();
  for (int plane = 0; plane < rows.planes; plane++) {
    packed.data[plane] = next;
    packed.stride_bytes[plane] = int(rows.bytes[plane]);
    next += rows.bytes[plane] * size_t(rows.rows[plane]);
  }
  switch (format.kind) {
    case graph::PortKind::kPicture:
      return draw(format.video, number, packed);
    case graph::PortKind::kPixels:
      return draw_pixels(format, number, packed.data[0]);
    case graph::PortKind::kTensor:
    case graph::PortKind::kBytes:
      return draw_bytes(format.bytes, number, packed.data[0]);
  }
}

}  // namespace

void DrawnFrames::write(const graph::PortFormat& format, int64_t number, const graph::StagedUnit& staged) {
  if (!(format == format_)) {
    format_ = format;
    for (std::vector<std::byte>& frame : frames_) frame.clear();
  }
  const RowsOf rows(format);
  std::vector<std::byte>& frame = frames_[size_t(number % kPeriod)];
  if (frame.empty()) draw_frame(format, rows, number % kPeriod, frame);
  const std::byte* next = frame.data();
  for (int plane = 0; plane < rows.planes; plane++)
    for (int y = 0; y < rows.rows[plane]; y++) {
      std::memcpy(staged.data[plane] + ptrdiff_t(y) * staged.stride_bytes[plane], next, rows.bytes[plane]);
      next += rows.bytes[plane];
    }
}

}  // namespace weft::worker
