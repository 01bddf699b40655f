// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/exif.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::media {

namespace {

constexpr uint32_t kOrientationTag = 274, kShortType = 3;
constexpr size_t kExifEntryBytes = 12;

bool is_big_endian(std::string_view exif) { return exif.starts_with("MM"); }

// Returns the unsigned integer of `size` bytes at `at`, or 0 past the end.
uint32_t exif_number(std::string_view exif, size_t at, size_t size) {
  if (at > exif.size() || size > exif.size() - at) return 0;
  uint32_t number = 0;
  for (size_t i = 0; i < size; i++)
    number = number << 8 | uint8_t(exif[at + (is_big_endian(exif) ? i : size - 1 - i)]);
  return number;
}

// Returns the offset of the two bytes that hold the orientation.
std::optional<size_t> offset_of(std::string_view exif) {
  if (!exif.starts_with("MM") && !exif.starts_with("II")) return std::nullopt;
  const size_t folder = exif_number(exif, 4, 4);
  const size_t entries = exif_number(exif, folder, 2);
  for (size_t i = 0; i < entries; i++) {
    const size_t entry = folder + 2 + i * kExifEntryBytes;
    if (entry + kExifEntryBytes > exif.size()) return std::nullopt;
    if (exif_number(exif, entry, 2) == kOrientationTag && exif_number(exif, entry + 2, 2) == kShortType)
      return entry + 8;
  }
  return std::nullopt;
}

}  // namespace

int exif_orientation(std::string_view exif) {
  const std::optional<size_t> offset = offset_of(exif);
  const uint32_t orientation = offset ? exif_number(exif, *offset, 2) : 1;
  return orientation >= 1 && orientation <= 8 ? int(orientation) : 1;
}

std::string with_orientation(std::string exif, int orientation) {
  const std::optional<size_t> offset = offset_of(exif);
  if (!offset) return exif;
  exif[*offset + (is_big_endian(exif) ? 1 : 0)] = char(orientation);
  exif[*offset + (is_big_endian(exif) ? 0 : 1)] = 0;
  return exif;
}

}  // namespace weft::media
