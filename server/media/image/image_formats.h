// SPDX-License-Identifier: Apache-2.0
// Declares the formats of image_file.h, with a function to read and one to encode each. Other
// folders must not include this file.
#pragma once

#include <span>

#include "server/media/image/image.h"

namespace weft::media {

// Holds the bytes of a file to read. If `read_samples` is false, the image has no samples.
struct ImageBytes {
  std::shared_ptr<const std::string> bytes{};
  std::string_view name{};  // name for messages
  bool read_samples = true;
  // PNG and TIFF: colours are returned without multiplication by alpha
  bool keeps_alpha_apart = false;
};

// Reads an image; the first bytes determine its format.
StatusOr<Image> read_image_bytes(const ImageBytes& file, const ImageReading& reading);

StatusOr<Image> read_openexr(const ImageBytes& file, const ImageReading& reading);
StatusOr<std::string> encode_openexr(const Image& image, std::optional<SampleType> depth);

StatusOr<Image> read_radiance(const ImageBytes& file);
StatusOr<std::string> encode_radiance(const Image& image);

StatusOr<Image> read_png(const ImageBytes& file);
StatusOr<std::string> encode_png(const Image& image);
struct Chromaticities;
bool png_takes_profile(const std::string& profile, bool is_gray);
bool png_takes_chromaticities(const Chromaticities& chromaticities);

StatusOr<Image> read_jpeg(const ImageBytes& file);
StatusOr<std::string> encode_jpeg(const Image& image, int quality);
inline constexpr int kMaxJpegSide = 65500;  // libjpeg's limit, pixels

StatusOr<Image> read_tiff(const ImageBytes& file);
StatusOr<std::string> encode_tiff(const Image& image, std::optional<SampleType> depth);

// Returns a new image with the pixels turned to the orientation for display, without an origin.
StatusOr<Image> turned_upright(const Image& image);

// Describes pixels as a file stores them, in rows without gaps.
struct StoredPixels {
  const std::byte* bytes = nullptr;
  int width = 0, height = 0;
  size_t pixel_bytes = 4;
  int orientation = 1;
};
bool swaps_sides(int orientation);
// Copies pixels in the orientation for display to `target`, which has the same size in bytes.
void copy_upright(const StoredPixels& stored, std::byte* target);

// Copies line `y` of the display window to `rgba` as floats, four for each pixel. Pixels outside
// the data window are black.
void frame_row(const Image& image, int y, std::span<float> rgba);
// Returns an image for a format without windows: the display window as floats, black outside the
// data window.
StatusOr<Image> display_window_of(const Image& image);

inline constexpr float kLargestHalf = 65504.0f;

// Returns the relative luminance (ITU-R BT.709, linear). If the three colours are equal, the result
// is exactly their value.
inline float luminance(float red, float green, float blue) {
  if (red == green && green == blue) return red;
  return float(0.2126 * red + 0.7152 * green + 0.0722 * blue);
}

}  // namespace weft::media
