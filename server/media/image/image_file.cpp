// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/image_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>

#include <unistd.h>

#include "server/media/file_bytes.h"
#include "server/media/file_calls.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"

namespace weft::media {

namespace {

struct Extension {
  std::string_view name;
  ImageFormat format;
};
constexpr Extension kExtensions[] = {
    {"exr", ImageFormat::kOpenExr},   {"hdr", ImageFormat::kRadiance}, {"pic", ImageFormat::kRadiance},
    {"rgbe", ImageFormat::kRadiance}, {"png", ImageFormat::kPng},      {"tif", ImageFormat::kTiff},
    {"tiff", ImageFormat::kTiff},     {"jpg", ImageFormat::kJpeg},     {"jpeg", ImageFormat::kJpeg},
};

std::optional<ImageFormat> format_of_bytes(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x76\x2f\x31\x01"sv)) return ImageFormat::kOpenExr;
  if (bytes.starts_with("#?RADIANCE\n") || bytes.starts_with("#?RGBE\n")) return ImageFormat::kRadiance;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  // A plus instead of an asterisk marks BigTIFF.
  for (const std::string_view mark : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv})
    if (bytes.starts_with(mark)) return ImageFormat::kTiff;
  if (bytes.starts_with("\xff\xd8\xff")) return ImageFormat::kJpeg;
  return std::nullopt;
}

StatusOr<Image> read_format(const ImageBytes& file, const ImageReading& reading) {
  const std::optional<ImageFormat> format = format_of_bytes(*file.bytes);
  if (!format)
    return invalid_argument(
        "The file ({}) is no image that is known here; give OpenEXR, Radiance, PNG, TIFF or JPEG.",
        file.name);
  if (*format != ImageFormat::kOpenExr && !reading.layer.empty())
    return invalid_argument("The image ({}) has no layers, and the layer {} is asked for; leave it out.",
                            file.name, reading.layer);
  switch (*format) {
    case ImageFormat::kOpenExr:
      return read_openexr(file, reading);
    case ImageFormat::kRadiance:
      return read_radiance(file);
    case ImageFormat::kPng:
      return read_png(file);
    case ImageFormat::kTiff:
      return read_tiff(file);
    case ImageFormat::kJpeg:
      return read_jpeg(file);
  }
  return internal_error("The image format {} has no reader.", int(*format));
}

std::string extension_of(std::string_view file_name) {
  const size_t dot = file_name.rfind('.');
  std::string extension(dot == std::string_view::npos ? "" : file_name.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return extension;
}

// Returns true for the name of a raw JPEG video. Such a file begins like a JPEG image.
bool is_stream_name(std::string_view file_name) {
  const std::string extension = extension_of(file_name);
  return extension == "mjpeg" || extension == "mjpg";
}

StatusOr<std::shared_ptr<const std::string>> load(const InputFile& file) {
  return load_file(file, kMaxImageFileBytes, "image");
}

}  // namespace

StatusOr<Image> read_image_bytes(const ImageBytes& file, const ImageReading& reading) {
  ASSIGN_OR_RETURN(Image image, read_format(file, reading));
  if (image.info.orientation != 1) add_note(image.info, orientation_note(image.info.orientation));
  return image;
}

StatusOr<Image> read_image(const InputFile& file, const ImageReading& reading) {
  ASSIGN_OR_RETURN(auto bytes, load(file));
  return read_image_bytes({std::move(bytes), file.name()}, reading);
}

StatusOr<Image> read_image(std::string bytes, std::string_view name, const ImageReading& reading) {
  return read_image_bytes({std::make_shared<const std::string>(std::move(bytes)), name}, reading);
}

StatusOr<bool> is_image(const InputFile& file) {
  const FileCall call("read", file.name());
  constexpr size_t kLongestMark = 16;
  std::array<char, kLongestMark> begin{};
  ssize_t count = -1;
  while ((count = ::pread(file.descriptor(), begin.data(), begin.size(), 0)) < 0 && errno == EINTR) {
  }
  if (count < 0) return system_error(errno, "read", file.name());
  const std::optional<ImageFormat> format = format_of_bytes(std::string_view(begin.data(), size_t(count)));
  return format && !(*format == ImageFormat::kJpeg && is_stream_name(file.name()));
}

StatusOr<ImageInfo> probe_image(const InputFile& file, const ImageReading& reading) {
  ASSIGN_OR_RETURN(auto bytes, load(file));
  ASSIGN_OR_RETURN(Image image, read_image_bytes({std::move(bytes), file.name(), false}, reading));
  return std::move(image.info);
}

StatusOr<ImageFormat> image_format_of(std::string_view file_name) {
  const std::string extension = extension_of(file_name);
  const auto* found = std::ranges::find(kExtensions, extension, &Extension::name);
  if (found != std::end(kExtensions)) return found->format;
  std::string known;
  for (const Extension& entry : kExtensions) known += (known.empty() ? "" : ", ") + std::string(entry.name);
  return invalid_argument("The file name ({}) ends in no extension of an image format; use one of {}.",
                          file_name, known);
}

namespace {

StatusOr<std::string> encode_as_it_lies(const Image& image, const ImageEncoding& encoding) {
  switch (encoding.format) {
    case ImageFormat::kOpenExr:
      return encode_openexr(image, encoding.depth);
    case ImageFormat::kRadiance:
      return encode_radiance(image);
    case ImageFormat::kPng:
      return encode_png(image);
    case ImageFormat::kTiff:
      return encode_tiff(image, encoding.depth);
    case ImageFormat::kJpeg:
      return encode_jpeg(image, encoding.jpeg_quality);
  }
  return internal_error("The image format {} is not known.", int(encoding.format));
}

}  // namespace

StatusOr<std::string> encode_image(const Image& image, const ImageEncoding& encoding) {
  if (image.info.orientation == 1 || holds_orientation(image.info, encoding.format))
    return encode_as_it_lies(image, encoding);
  ASSIGN_OR_RETURN(const Image turned, turned_upright(image));
  return encode_as_it_lies(turned, encoding);
}

void frame_row(const Image& image, int y, std::span<float> rgba) {
  const ImageWindow& display = image.info.display;
  const ImageWindow& data = image.info.data;
  const int64_t row = int64_t(y) + display.y - data.y;
  const float no_alpha = image.info.has_alpha ? 0.0f : 1.0f;
  for (int64_t x = 0; x < display.width; x++) {
    const int64_t column = x + display.x - data.x;
    float* pixel = &rgba[size_t(x) * 4];
    if (row < 0 || row >= data.height || column < 0 || column >= data.width) {
      pixel[0] = pixel[1] = pixel[2] = 0;
      pixel[3] = no_alpha;
      continue;
    }
    const size_t from = size_t(row * data.width + column) * 4;
    for (size_t c = 0; c < 4; c++) pixel[c] = image.sample(from + c);
  }
}

StatusOr<Image> display_window_of(const Image& image) {
  const ImageWindow& display = image.info.display;
  RETURN_IF_ERROR(check_window(display, "display window", "to be written"));
  ImageInfo info = image.info;
  info.data = display;
  info.samples = SampleType::kFloat;
  ASSIGN_OR_RETURN(Image result, make_image(std::move(info)));
  for (int y = 0; y < display.height; y++)
    frame_row(image, y, result.float_samples().subspan(size_t(y) * size_t(display.width) * 4));
  return result;
}

StatusOr<std::string> encode_preview(const Image& image, int largest_side, double exposure) {
  ASSIGN_OR_RETURN(Image whole, display_window_of(image));
  ASSIGN_OR_RETURN(whole, upright(std::move(whole)));
  const ImageWindow& from = whole.info.data;
  const int divisor = std::max(1, (std::max(from.width, from.height) + largest_side - 1) / largest_side);
  ImageInfo info;
  info.bit_depth = 8;
  info.data = {0, 0, std::max(1, from.width / divisor), std::max(1, from.height / divisor)};
  info.display = info.data;
  ASSIGN_OR_RETURN(Image small, make_image(std::move(info)));
  const int columns = std::min(divisor, from.width);
  const int rows = std::min(divisor, from.height);
  const std::span<const float> source = whole.float_samples();
  const std::span<float> target = small.float_samples();
  for (int64_t pixel = 0; pixel < small.info.data.pixels(); pixel++) {
    const int64_t left = pixel % small.info.data.width * divisor;
    const int64_t top = pixel / small.info.data.width * divisor;
    std::array<double, 3> sum{};
    for (int64_t y = top; y < top + rows; y++)
      for (int64_t x = left; x < left + columns; x++)
        for (size_t c = 0; c < 3; c++) sum[c] += source[size_t(y * from.width + x) * 4 + c];
    for (size_t c = 0; c < 3; c++)
      target[size_t(pixel) * 4 + c] = float(sum[c] * exposure / (rows * columns));
    target[size_t(pixel) * 4 + 3] = 1;
  }
  return encode_png(small);
}

}  // namespace weft::media
