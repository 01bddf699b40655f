// SPDX-License-Identifier: Apache-2.0
// A still image in memory: RGBA samples in linear light, and the other facts of its file. image_file.h reads and writes files.
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

// Limits. A file that says more is refused before its samples are read.
inline constexpr int kMaxImageSide = 65536;                         // pixels, either window
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 27;        // of a window: 2 GiB as float RGBA
inline constexpr int kMaxImageParts = 256;                          // of an OpenEXR file
inline constexpr int kMaxImageChannels = 1024;                      // of a part
inline constexpr int64_t kMaxOtherChannelBytes = int64_t{8} << 30;  // decoded, beside the colours
inline constexpr int64_t kMaxImageChunkBytes = int64_t{1}
                                               << 30;  // of an OpenEXR part's tile or group of lines, decoded
inline constexpr int64_t kMaxImageFileBytes = int64_t{4} << 30;

enum class ImageFormat { kOpenExr, kRadiance, kPng, kTiff, kJpeg };
const char* name_of(ImageFormat format);  // "OpenEXR"

// How a sample lies in memory, four of them a pixel. kHalf (IEEE 754 binary16) where it holds what the file stores, else kFloat.
enum class SampleType { kHalf, kFloat };

// A rectangle of pixels; y counts downwards.
struct ImageWindow {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool operator==(const ImageWindow&) const = default;
  int64_t pixels() const { return int64_t(width) * height; }
};

class ImageMetadata;

struct ImageFacts {
  ImageFormat format = ImageFormat::kOpenExr;
  ImageWindow data{};       // where there are samples; may reach past the display window (overscan)
  ImageWindow display{};    // the frame
  double pixel_aspect = 1;  // width of a pixel over its height
  SampleType samples = SampleType::kFloat;
  bool has_alpha = false;
  bool is_gray = false;  // stored as luminance: red, green and blue are equal
  // Of the file's samples: 8 and 16 (PNG), 8 to 64 (TIFF), 16 and 32 (OpenEXR), 8 (Radiance, JPEG).
  int bit_depth = 0;
  bool is_float = false;  // the file's samples are floats
  // How the picture is to be shown, as TIFF's tag 274 counts: 1 as it lies, 6 turned right by 90 degrees. Samples are as stored.
  int orientation = 1;
  std::string layer{};               // of the colours' channels: "" for the unnamed one
  std::vector<std::string> notes{};  // what a careful user should know
  // What else the file says: colour profile, resolution, text ... Null: nothing.
  std::shared_ptr<const ImageMetadata> metadata{};
};

// The origin of an image, for encode_image() (image_file.h). Each format keeps what it needs.
class ImageOrigin {
 public:
  virtual ~ImageOrigin() = default;
};

// Linear light, relative to the file's own white (1.0 is a PNG's white). Colours are multiplied with alpha; alpha is 1 where there is none.
struct Image {
  ImageFacts facts{};
  // RGBA for each pixel of the data window, row after row, without gaps; of facts.samples. Uninitialised when made.
  std::unique_ptr<std::byte[]> samples{};
  std::shared_ptr<const ImageOrigin> origin{};  // null: made here

  size_t sample_count() const { return size_t(facts.data.pixels()) * 4; }
  std::span<uint16_t> half_samples() { return {reinterpret_cast<uint16_t*>(samples.get()), sample_count()}; }
  std::span<const uint16_t> half_samples() const {
    return {reinterpret_cast<const uint16_t*>(samples.get()), sample_count()};
  }
  std::span<float> float_samples() { return {reinterpret_cast<float*>(samples.get()), sample_count()}; }
  std::span<const float> float_samples() const {
    return {reinterpret_cast<const float*>(samples.get()), sample_count()};
  }
  float sample(size_t index) const;  // of either type
};

// INVALID_ARGUMENT naming the limit that a window passes. `what`: "data window".
Status check_window(const ImageWindow& window, std::string_view what, std::string_view name);

// Memory for the image that `facts` describe. INVALID_ARGUMENT past a limit, RESOURCE_EXHAUSTED.
StatusOr<Image> make_image(ImageFacts facts);

struct ImageReading {
  // OpenEXR: which colours. "beauty" for the channels beauty.R ... or for the part of that name, "part.layer" for both. Empty: the
  // unnamed layer of the first part that has one, else the only layer there is.
  std::string layer{};
};

struct ImageEncoding {
  ImageFormat format = ImageFormat::kOpenExr;
  // OpenEXR: how the colours are stored; not given: as in the file that the image was read from, else as in memory. TIFF: that
  // they are stored as floats; not given: as in the TIFF that the image was read from, else as integers.
  std::optional<SampleType> depth{};
  int jpeg_quality = 95;  // 1 to 100, as libjpeg counts
};

// Properties of the image that an output does not state, as sentences.
std::vector<std::string> left_out(const ImageFacts& facts, const ImageEncoding& encoding);

// The picture as it is to be shown. The same image where it lies so. RESOURCE_EXHAUSTED.
StatusOr<Image> upright(Image image);

}  // namespace weft::media
