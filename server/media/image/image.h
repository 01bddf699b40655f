// SPDX-License-Identifier: Apache-2.0
// Still images: files to RGBA samples in linear light and back, with everything else in the file kept as it is.
//
//   ASSIGN_OR_RETURN(Image image, read_image(*file, {}));
//   ... change image.half_samples() or image.float_samples() ...
//   ASSIGN_OR_RETURN(std::string bytes, encode_image(image, {.format = ImageFormat::kOpenExr}));
//
// No file is opened here: bytes come from a descriptor or from memory and go to memory.
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
#include "server/media/file.h"

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

// What an image was read from, for encode_image(). Each format keeps what it needs.
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

// Memory for the image that `facts` describe. INVALID_ARGUMENT past a limit, RESOURCE_EXHAUSTED.
StatusOr<Image> make_image(ImageFacts facts);

struct ImageReading {
  // OpenEXR: which colours. "beauty" for the channels beauty.R ... or for the part of that name, "part.layer" for both. Empty: the
  // unnamed layer of the first part that has one, else the only layer there is.
  std::string layer{};
};

// The whole file. By its first bytes, whatever its name: OpenEXR (scan lines or tiles; half or float; R, G, B, or Y with or without its chroma RY and BY, in either case; with or without A),
// Radiance RGBE, PNG, TIFF (gray, RGB, palettes; integers are sRGB, floats linear; whatever compression libtiff knows), JPEG (gray and
// colour). INVALID_ARGUMENT: another format, colours that are not RGB (CMYK, Lab), integers in OpenEXR, several layers and none named, a
// limit passed. DATA_LOSS: damaged or cut off. RESOURCE_EXHAUSTED: no memory.
StatusOr<Image> read_image(const InputFile& file, const ImageReading& reading);
StatusOr<Image> read_image(std::string bytes, std::string_view name, const ImageReading& reading);
// Whether its first bytes are those of a format that read_image knows. A JPEG by the name of a raw stream (mjpeg, mjpg) is a video.
StatusOr<bool> is_image(const InputFile& file);
// What read_image would give, without samples. Damage to the samples is not seen.
StatusOr<ImageFacts> probe_image(const InputFile& file, const ImageReading& reading);

// Of an output, by the extension: exr, hdr (pic, rgbe), png, tif (tiff), jpg (jpeg). INVALID_ARGUMENT naming those there are.
StatusOr<ImageFormat> image_format_of(std::string_view file_name);

struct ImageEncoding {
  ImageFormat format = ImageFormat::kOpenExr;
  // OpenEXR: how the colours are stored; not given: as in the file that the image was read from, else as in memory. TIFF: that
  // they are stored as floats; not given: as in the TIFF that the image was read from, else as integers.
  std::optional<SampleType> depth{};
  int jpeg_quality = 95;  // 1 to 100, as libjpeg counts
};

// The bytes of a file. An image read from the same format keeps its header, its compression, its other channels and parts, its text and
// colour declarations; samples that were not changed are stored as they were, but for subsampled chroma. OpenEXR stores halves above 65504 as 65504, and with DWA
// compression a little less, so that nothing finite comes back infinite.
// Formats without windows hold the display window, black where there are no samples. PNG and TIFF of unsigned integers hold 0 to 1 only, and
// alpha apart from colour (not a TIFF that was read with associated alpha, whose codes are those of the multiplied colours);
// Radiance holds no alpha and nothing negative; JPEG holds 0 to 1 in 8 bits and no alpha. A gray image stays one: its luminance is stored. A TIFF of floats or signed
// integers stays one. A format that does not hold how a picture is to be turned gets it turned.
// DATA_LOSS naming the file that the image was read from: what is kept of it is damaged.
StatusOr<std::string> encode_image(const Image& image, const ImageEncoding& encoding);

// What such an output does not say of all that is known of the image, as sentences.
std::vector<std::string> left_out(const ImageFacts& facts, const ImageEncoding& encoding);

// The picture as it is to be shown. The same image where it lies so. RESOURCE_EXHAUSTED.
StatusOr<Image> upright(Image image);

// A PNG of 8 bits, sRGB, no wider and no higher than `largest_side`: for looking at. Averages areas in linear light and multiplies with
// `exposure` before.
StatusOr<std::string> encode_preview(const Image& image, int largest_side, double exposure);

}  // namespace weft::media
