// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/image_codes.h"

#include <utility>

#include "server/media/file_bytes.h"
#include "server/media/file_calls.h"
#include "server/media/image/codes.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"

namespace weft::media {

Status check_has_codes(const ImageInfo& info, std::string_view name) {
  if (!info.is_float && info.format != ImageFormat::kOpenExr && info.format != ImageFormat::kRadiance)
    return ok_status();
  return invalid_argument(
      "The image ({}) holds floats, and a texture has codes of 8 bits; give PNG, JPEG or TIFF of integers.",
      name);
}

StatusOr<ImageCodes> read_image_codes(const InputFile& file) {
  ASSIGN_OR_RETURN(auto bytes, load_file(file, kMaxImageFileBytes, "image"));
  ASSIGN_OR_RETURN(
      const Image image,
      read_image_bytes({.bytes = std::move(bytes), .name = file.name(), .keeps_alpha_apart = true}, {}));
  RETURN_IF_ERROR(check_has_codes(image.info, file.name()));
  // colours are not divided by alpha
  const CodeLayout layout{.has_alpha = true, .is_alpha_associated = true};
  const Transfer transfer = image.info.metadata != nullptr ? image.info.metadata->transfer : Transfer{};
  const ImageWindow& window = image.info.data;
  const CodeWriter writer(layout, transfer, window.pixels());
  ImageCodes codes;
  codes.info = code_value_info_of(image.info);
  codes.rgba.resize(size_t(window.pixels()) * 4);
  std::vector<float> row(size_t(window.width) * 4);
  for (int y = 0; y < window.height; y++) {
    const size_t begin = size_t(y) * row.size();
    for (size_t i = 0; i < row.size(); i++) row[i] = image.sample(begin + i);
    writer.write_row(row.data(), window.width, reinterpret_cast<uint8_t*>(codes.rgba.data()) + begin);
    chunk_done();
  }
  if (image.info.orientation == 1) return codes;
  const std::string stored = std::exchange(codes.rgba, std::string(codes.rgba.size(), '\0'));
  copy_upright({reinterpret_cast<const std::byte*>(stored.data()), window.width, window.height, 4,
                image.info.orientation},
               reinterpret_cast<std::byte*>(codes.rgba.data()));
  return codes;
}

}  // namespace weft::media
