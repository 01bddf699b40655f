// SPDX-License-Identifier: Apache-2.0
// TIFF 6.0, sections 2 and 18.
#include "server/media/image/tiff_tags.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::media {

namespace {

constexpr uint32_t kExtraSamples = 338, kShort = 3, kAssociated = 1;
constexpr size_t kEntryBytes = 12;

// The whole number of `size` bytes there; 0 past the end.
uint32_t number_at(std::string_view tiff, size_t at, size_t size) {
  if (at > tiff.size() || size > tiff.size() - at) return 0;
  const bool is_big_endian = tiff.front() == 'M';
  uint32_t number = 0;
  for (size_t i = 0; i < size; i++)
    number = number << 8 | uint8_t(tiff[at + (is_big_endian ? i : size - 1 - i)]);
  return number;
}

// Where the first picture says what its first extra sample is; one or two of them lie in the entry itself.
std::optional<size_t> extra_sample(std::string_view tiff) {
  const size_t folder = number_at(tiff, 4, 4);
  const size_t entries = number_at(tiff, folder, 2);
  for (size_t i = 0; i < entries; i++) {
    const size_t entry = folder + 2 + i * kEntryBytes;
    if (number_at(tiff, entry, 2) != kExtraSamples) continue;
    const uint32_t count = number_at(tiff, entry + 4, 4);
    if (number_at(tiff, entry + 2, 2) != kShort || count < 1 || count > 2) return std::nullopt;
    return entry + 8;
  }
  return std::nullopt;
}

}  // namespace

bool is_alpha_associated(std::string_view tiff) {
  const std::optional<size_t> at = extra_sample(tiff);
  return at && number_at(tiff, *at, 2) == kAssociated;
}

StatusOr<std::string> associate_alpha(std::string tiff) {
  const std::optional<size_t> at = extra_sample(tiff);
  if (!at || *at + 2 > tiff.size())
    return internal_error("FFmpeg's TIFF file does not say what its alpha is.");
  const bool is_big_endian = tiff.front() == 'M';
  tiff[*at] = char(is_big_endian ? 0 : kAssociated);
  tiff[*at + 1] = char(is_big_endian ? kAssociated : 0);
  return tiff;
}

}  // namespace weft::media
