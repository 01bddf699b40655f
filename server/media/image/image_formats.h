// SPDX-License-Identifier: Apache-2.0
// The formats of image_file.h, one pair of functions each. Not for other folders.
#pragma once

#include <span>

#include "server/media/image/image.h"

namespace weft::media {

// What reads leave behind; `read_samples` false gives an image without samples.
struct ImageBytes {
  std::shared_ptr<const std::string> bytes{};
  std::string_view name{};  // for messages
  bool read_samples = true;
  bool keeps_alpha_apart = false;  // PNG and TIFF: colours are not multiplied with alpha
};

// By the first bytes.
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
inline constexpr int kMaxJpegSide = 65500;  // libjpeg's

StatusOr<Image> read_tiff(const ImageBytes& file);
StatusOr<std::string> encode_tiff(const Image& image, std::optional<SampleType> depth);

// The picture as it is to be shown: a new image, without an origin.
StatusOr<Image> turned_upright(const Image& image);

// Pixels as a file has them, rows without gaps.
struct StoredPixels {
  const std::byte* bytes = nullptr;
  int width = 0, height = 0;
  size_t pixel_bytes = 4;
  int orientation = 1;
};
bool swaps_sides(int orientation);
// As they are to be shown, to as many bytes.
void copy_upright(const StoredPixels& stored, std::byte* target);

// Line `y` of the display window as floats, black outside the data window; `rgba` has four for each pixel.
void frame_row(const Image& image, int y, std::span<float> rgba);
// What a format without windows holds: the display window as floats, black outside the data window.
StatusOr<Image> display_window_of(const Image& image);

inline constexpr float kLargestHalf = 65504.0f;

// Relative luminance (ITU-R BT.709, linear). Exactly the common value where the three are equal.
inline float luminance(float red, float green, float blue) {
  if (red == green && green == blue) return red;
  return float(0.2126 * red + 0.7152 * green + 0.0722 * blue);
}

}  // namespace weft::media
