// SPDX-License-Identifier: Apache-2.0
// The units that flow along the edges of a network: pictures, pixels, tensors or plain bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/video_format.h"
#include "server/graph/frame_layout.h"

namespace weft::graph {

enum class PortKind {
  kPicture,  // planes of integer samples: video, and masks (gray, 8 bits)
  kPixels,   // red, green, blue and alpha of a pixel together, floating point, without gaps: images
  kTensor,   // channels of an element type at each point of a grid, in tiles: feature maps, texels
  kBytes,    // anything else: vectors, records
};

// A sample of a pixel.
enum class PixelType { kHalf, kFloat };
constexpr size_t bytes_of_pixel(PixelType type) { return type == PixelType::kHalf ? 8 : 16; }
constexpr std::string_view name_of(PixelType type) { return type == PixelType::kHalf ? "half" : "float"; }

// An element of a tensor.
enum class ElementType { kInt8, kUint8, kInt16, kUint16, kHalf, kFloat };
size_t bytes_of(ElementType type);
std::string_view name_of(ElementType type);

// A grid of points with `channels` elements each. Tiles follow each other in rows, the points of a tile in rows, the channels of a
// point together. Tiles at the right and the bottom are whole; elements outside of the grid mean nothing.
struct TensorShape {
  int width = 0, height = 0;  // points
  int channels = 1;
  ElementType type = ElementType::kFloat;
  int tile_width = 1, tile_height = 1;  // points; 1 by 1: the grid's rows without tiles

  size_t bytes() const;
  // Of a channel of a point, from the unit's begin.
  size_t offset(int x, int y, int channel) const;
  bool operator==(const TensorShape&) const = default;
};

// A unit of a port. Ports with equal formats can be joined.
struct PortFormat {
  PortKind kind = PortKind::kPicture;
  VideoFormat video{};                   // of a picture
  int width = 0, height = 0;             // of pixels
  PixelType pixels = PixelType::kFloat;  // their samples
  TensorShape tensor{};                  // of a tensor
  std::string element;                   // of bytes: what they are, "vectors"
  size_t bytes = 0;                      // of a unit of bytes or of a tensor

  static PortFormat picture(const VideoFormat& video) {
    PortFormat format;
    format.video = video;
    return format;
  }
  static PortFormat image(int width, int height, PixelType type) {
    PortFormat format;
    format.kind = PortKind::kPixels;
    format.width = width;
    format.height = height;
    format.pixels = type;
    return format;
  }
  static PortFormat of(const TensorShape& tensor) {
    PortFormat format;
    format.kind = PortKind::kTensor;
    format.tensor = tensor;
    format.bytes = tensor.bytes();
    return format;
  }
  static PortFormat data(std::string_view element, size_t bytes) {
    PortFormat format;
    format.kind = PortKind::kBytes;
    format.element = std::string(element);
    format.bytes = bytes;
    return format;
  }
  bool operator==(const PortFormat&) const = default;

  std::string text()
      const;  // "1920x1080 4:2:0 8 bit", "64x64 half", "64x64x16 int8 in tiles of 8x8", "vectors of 512 bytes"
};

// A port's unit in memory.
struct PortLayout {
  PortFormat format;
  FrameLayout frame;      // of a picture
  size_t unit_bytes = 0;  // from a unit to the next, a multiple of FrameLayout::kPlaneAlignment

  // `padding_bytes` as FrameLayout::of has it.
  static PortLayout of(const PortFormat& format, size_t padding_bytes = 0);
};

// Units out for units in: bob has 2/1, a filter that keeps four of five 4/5.
struct Rate {
  int numerator = 1;
  int denominator = 1;
  bool operator==(const Rate&) const = default;
};

// Units for a number of others at a rate, rounded up.
constexpr int scaled_up(int units, const Rate& rate) {
  return int((int64_t(units) * rate.numerator + rate.denominator - 1) / rate.denominator);
}

// Units of an edge that a node looks at around the one it works on.
struct Window {
  int before = 0;
  int after = 0;
  bool operator==(const Window&) const = default;
};

// What a video's codes mean: code points of ITU-T H.273, as files say them. 2: not known.
struct VideoColour {
  int transfer = 2;  // not known: taken for BT.709
  int matrix = 2;    // not known: taken for BT.709 from 720 rows on, else BT.601
  bool is_full_range = false;
  bool operator==(const VideoColour&) const = default;
};

// Where chroma samples lie, as H.273's ChromaLocType numbers them.
enum class ChromaSite { kUnknown = -1, kLeft, kCentre, kTopLeft, kTop, kBottomLeft, kBottom };

// What is known of all pictures of a port besides their format.
struct PictureProperties {
  VideoColour colour{};
  ChromaSite chroma_site = ChromaSite::kUnknown;
  bool interlaced = false;   // frames of two fields
  bool progressive = false;  // said to be none; neither: not known
  bool gray = false;         // of pixels: all colours are the same
  Rate sample_aspect{0, 1};  // width to height of a sample; 0: not known
};

}  // namespace weft::graph
