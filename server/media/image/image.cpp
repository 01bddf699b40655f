// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/image.h"

#include <new>

#include <Imath/half.h>

namespace weft::media {

const char* name_of(ImageFormat format) {
  switch (format) {
    case ImageFormat::kOpenExr:
      return "OpenEXR";
    case ImageFormat::kRadiance:
      return "Radiance";
    case ImageFormat::kPng:
      return "PNG";
    case ImageFormat::kTiff:
      return "TIFF";
    case ImageFormat::kJpeg:
      return "JPEG";
  }
  return "";
}

Status check_window(const ImageWindow& window, std::string_view what, std::string_view name) {
  if (window.width < 1 || window.height < 1)
    return invalid_argument("The image ({}) has an empty {} ({}x{}).", name, what, window.width,
                            window.height);
  if (window.width > kMaxImageSide || window.height > kMaxImageSide)
    return invalid_argument("The image ({}) is too large: its {} has {}x{} pixels, a side at most {}.", name,
                            what, window.width, window.height, kMaxImageSide);
  if (window.pixels() > kMaxImagePixels)
    return invalid_argument("The image ({}) is too large: its {} has {}x{} pixels, at most {} in all.", name,
                            what, window.width, window.height, kMaxImagePixels);
  return ok_status();
}

float Image::sample(size_t index) const {
  return info.samples == SampleType::kFloat ? float_samples()[index]
                                            : imath_half_to_float(half_samples()[index]);
}

StatusOr<Image> make_image(ImageInfo info) {
  RETURN_IF_ERROR(check_window(info.data, "data window", "in memory"));
  Image image;
  image.info = std::move(info);
  const size_t bytes = image.sample_count() * (image.info.samples == SampleType::kHalf ? 2 : 4);
  image.samples.reset(new (std::nothrow) std::byte[bytes]);
  if (!image.samples) return resource_exhausted("There is no memory for an image ({} bytes).", bytes);
  return image;
}

}  // namespace weft::media
