// SPDX-License-Identifier: Apache-2.0
// Defines the formats of the units on the edges of a network: pictures, pixels, tensors or bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/quantisers.h"
#include "base/video_format.h"
#include "server/graph/frame_layout.h"

namespace weft::graph {

enum class PortKind {
  kPicture,  // planes of integer samples: video, and masks (gray, 8 bits)
  kPixels,   // interleaved floating point RGBA without padding: images
  kTensor,   // tiles of grid points with several channels of one element type: feature maps, texels
  kBytes,    // other data: vectors, records
};

// Sample type of pixels.
enum class PixelType { kHalf, kFloat };
constexpr size_t bytes_of_pixel(PixelType type) { return type == PixelType::kHalf ? 8 : 16; }
constexpr std::string_view name_of(PixelType type) { return type == PixelType::kHalf ? "half" : "float"; }

// Element type of a tensor.
enum class ElementType { kInt8, kUint8, kInt16, kUint16, kHalf, kFloat };
size_t bytes_of(ElementType type);
std::string_view name_of(ElementType type);

// A grid of points with `channels` elements each. Tiles are stored in row order, and so are the
// points of a tile; the channels of a point are adjacent. Tiles at the right and bottom edges are
// stored complete; their elements outside the grid are undefined.
struct TensorShape {
  int width = 0, height = 0;  // in points
  int channels = 1;
  ElementType type = ElementType::kFloat;
  int tile_width = 1, tile_height = 1;  // in points; 1 by 1: no tiles, rows of the grid

  size_t bytes() const;
  // Returns the byte offset of a point's channel in the unit.
  size_t offset(int x, int y, int channel) const;
  bool operator==(const TensorShape&) const = default;
};

// Format of a port's units. Ports can be connected if their formats are equal.
struct PortFormat {
  PortKind kind = PortKind::kPicture;
  VideoFormat video{};                   // for kPicture
  int width = 0, height = 0;             // for kPixels
  PixelType pixels = PixelType::kFloat;  // sample type, for kPixels
  TensorShape tensor{};                  // for kTensor
  std::string element;                   // for kBytes: name of the content, such as "vectors"
  size_t bytes = 0;                      // bytes of a unit, for kBytes and kTensor

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

  // Returns a text such as "1920x1080 4:2:0 8 bit", "64x64 half", "64x64x16 int8 in tiles of 8x8"
  // or "vectors of 512 bytes".
  std::string text() const;
};

// Memory layout of a port's unit.
struct PortLayout {
  PortFormat format;
  FrameLayout frame;  // for kPicture
  // Bytes from a unit to the next, a multiple of FrameLayout::kPlaneAlignment.
  size_t unit_bytes = 0;

  // Returns the layout of `format`; `padding_bytes` as in FrameLayout::of.
  static PortLayout of(const PortFormat& format, size_t padding_bytes = 0);
};

// Number of output units per input unit: 2/1 for a bob, 4/5 for a filter that drops one of five.
struct Rate {
  int numerator = 1;
  int denominator = 1;
  bool operator==(const Rate&) const = default;
};

// Returns `units` times `rate`, rounded up.
constexpr int scaled_up(int units, const Rate& rate) {
  return int((int64_t(units) * rate.numerator + rate.denominator - 1) / rate.denominator);
}

// Number of units before and after the current one that a node reads on an edge.
struct Window {
  int before = 0;
  int after = 0;
  bool operator==(const Window&) const = default;
};

// Colour properties of a video as code points of ITU-T H.273; 2: unknown.
struct VideoColour {
  int transfer = 2;  // unknown means BT.709
  int matrix = 2;    // unknown means BT.709 from 720 rows, else BT.601
  bool is_full_range = false;
  bool operator==(const VideoColour&) const = default;
};

// Chroma siting, with the numbers of H.273's ChromaLocType.
enum class ChromaSiting { kUnknown = -1, kLeft, kCentre, kTopLeft, kTop, kBottomLeft, kBottom };

// Properties of all pictures of a port, except for the format.
struct PictureProperties {
  VideoColour colour{};
  ChromaSiting chroma_siting = ChromaSiting::kUnknown;
  bool interlaced = false;   // each frame consists of two fields
  bool progressive = false;  // frames are known to be progressive; neither: unknown
  bool gray = false;         // pixels have equal colour channels
  Rate sample_aspect{0, 1};  // sample aspect ratio, width to height; 0: unknown
  // some pictures are known to be flagged for repeated fields (soft telecine)
  bool repeats_fields = false;
  // scale of the quantisers that travel with the frames (FrameInfo::quantisers)
  QuantiserScale quantisers = QuantiserScale::kNone;
  // order of the fields of interlaced frames, set by a filter that makes such frames; false: the
  // order of the input
  bool top_field_first = false;
  // durations of the pictures differ by more than roundings
  bool has_variable_rate = false;
  // nominal number of pictures a second, which rules multiply by their rates; 0: unknown
  Rate frame_rate{0, 1};
};

}  // namespace weft::graph
