// SPDX-License-Identifier: Apache-2.0
// Holds a still image in memory: RGBA samples in linear light, and the properties of its file.
// image_file.h reads and writes files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::media {

// Limits. A file that exceeds one is refused before its samples are read.
inline constexpr int kMaxImageSide = 65536;  // pixels, of the data window and of the display window
// pixels of a window; 2 GiB as float RGBA
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 27;
inline constexpr int kMaxImageParts = 256;      // parts of an OpenEXR file
inline constexpr int kMaxImageChannels = 1024;  // channels of a part
// decoded bytes of channels other than colours and alpha
inline constexpr int64_t kMaxOtherChannelBytes = int64_t{8} << 30;
// decoded bytes of an OpenEXR tile or group of lines
inline constexpr int64_t kMaxImageChunkBytes = int64_t{1} << 30;
inline constexpr int64_t kMaxImageFileBytes = int64_t{4} << 30;

enum class ImageFormat { kOpenExr, kRadiance, kPng, kTiff, kJpeg };
const char* name_of(ImageFormat format);  // "OpenEXR"

// Type of a sample in memory; a pixel has four samples. kHalf (IEEE 754 binary16) if it holds all
// values of the file, else kFloat.
enum class SampleType { kHalf, kFloat };

// A rectangle of pixels. y increases downwards.
struct ImageWindow {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool operator==(const ImageWindow&) const = default;
  int64_t pixels() const { return int64_t(width) * height; }
};

class ImageMetadata;

struct ImageInfo {
  ImageFormat format = ImageFormat::kOpenExr;
  ImageWindow data{};       // window that has samples; may exceed the display window (overscan)
  ImageWindow display{};    // window of the frame
  double pixel_aspect = 1;  // width of a pixel divided by its height
  SampleType samples = SampleType::kFloat;
  bool has_alpha = false;
  bool is_gray = false;  // the file stores luminance; red, green and blue are equal
  // bits of a sample in the file: 8 and 16 (PNG), 8 to 64 (TIFF), 16 and 32 (OpenEXR), 8 (Radiance,
  // JPEG)
  int bit_depth = 0;
  bool is_float = false;  // samples in the file are floats
  // Orientation for display, as TIFF's tag 274: 1 unchanged, 6 rotated right by 90 degrees. The
  // samples are in stored order.
  int orientation = 1;
  std::string layer{};  // layer that holds the colours; empty: the unnamed layer
  // sentences about properties of the file that affect the result
  std::vector<std::string> notes{};
  // other metadata of the file, such as colour profile, resolution and text; null: none
  std::shared_ptr<const ImageMetadata> metadata{};
};

// Holds data of the file that an image was read from, for encode_image() (image_file.h). Each
// format stores its own data.
class ImageOrigin {
 public:
  virtual ~ImageOrigin() = default;
};

// An image in linear light, relative to the file's own white (1.0 is a PNG's white). Colours are
// premultiplied by alpha; alpha is 1 if the file has none.
struct Image {
  ImageInfo info{};
  // RGBA of each pixel of the data window, row after row without gaps, of the type `info.samples`;
  // uninitialised after make_image()
  std::unique_ptr<std::byte[]> samples{};
  std::shared_ptr<const ImageOrigin> origin{};  // null: the image was not read from a file

  size_t sample_count() const { return size_t(info.data.pixels()) * 4; }
  std::span<uint16_t> half_samples() { return {reinterpret_cast<uint16_t*>(samples.get()), sample_count()}; }
  std::span<const uint16_t> half_samples() const {
    return {reinterpret_cast<const uint16_t*>(samples.get()), sample_count()};
  }
  std::span<float> float_samples() { return {reinterpret_cast<float*>(samples.get()), sample_count()}; }
  std::span<const float> float_samples() const {
    return {reinterpret_cast<const float*>(samples.get()), sample_count()};
  }
  float sample(size_t index) const;  // Returns the value for either type.
};

// Returns INVALID_ARGUMENT with the limit that a window exceeds. `what` names the window: "data
// window".
Status check_window(const ImageWindow& window, std::string_view what, std::string_view name);

// Allocates the samples of the image that `info` describes. INVALID_ARGUMENT if the data window
// exceeds a limit; RESOURCE_EXHAUSTED without memory.
StatusOr<Image> make_image(ImageInfo info);

struct ImageReading {
  // OpenEXR: layer of the colours. "beauty" names the channels beauty.R ... or the part of that
  // name; "part.layer" names both. Empty: the unnamed layer of the first part that has one, else
  // the only layer of the file.
  std::string layer{};
};

struct ImageEncoding {
  ImageFormat format = ImageFormat::kOpenExr;
  // OpenEXR: type of the stored colours; not given: as in the OpenEXR that the image was read from,
  // else as in memory. TIFF: stores the colours as floats of this type; not given: as in the TIFF
  // that the image was read from, else as integers.
  std::optional<SampleType> depth{};
  int jpeg_quality = 95;  // 1 to 100, on libjpeg's scale
};

// Returns sentences about the properties of the image that an output does not hold.
std::vector<std::string> left_out(const ImageInfo& info, const ImageEncoding& encoding);

// Returns the image with its pixels turned to the orientation for display. Returns `image` itself
// if its orientation is 1. RESOURCE_EXHAUSTED without memory.
StatusOr<Image> upright(Image image);

}  // namespace weft::media
