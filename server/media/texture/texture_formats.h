// SPDX-License-Identifier: Apache-2.0
// The containers of texture.h, one pair of functions each, and little-endian numbers in their headers. Not for other folders.
#pragma once

#include <array>
#include <concepts>

#include "server/media/texture/texture.h"

namespace weft::media {

struct TextureBytes {
  std::string_view bytes{};
  std::string_view name{};  // for messages
  bool read_levels = true;  // false: the headers alone, and `bytes` may end after them
  int64_t file_bytes = 0;   // of the whole file
};
// Enough for the headers of either container.
inline constexpr size_t kTextureHeaderBytes = 1024;

bool is_dds(std::string_view bytes);
int64_t dds_header_bytes(std::string_view bytes);                       // by its first 12 or more
int64_t dds_bytes(std::string_view header, const TextureFacts& facts);  // of the whole file
StatusOr<Texture> read_dds(const TextureBytes& file);
StatusOr<std::string> encode_dds(const Texture& texture);

bool is_ktx2(std::string_view bytes);
int64_t ktx2_header_bytes(std::string_view bytes);
int64_t ktx2_notes_end(std::string_view header);  // of its descriptor, and its keys and values
int64_t ktx2_bytes(std::string_view header, const TextureFacts& facts);
StatusOr<Texture> read_ktx2(const TextureBytes& file);
StatusOr<std::string> encode_ktx2(const Texture& texture, std::optional<int> zstd_level);

// 0 past the end.
template <std::unsigned_integral T>
T number_at(std::string_view bytes, size_t at) {
  T value = 0;
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return 0;
  for (size_t i = 0; i < sizeof(T); i++) value |= T(T(uint8_t(bytes[at + i])) << (8 * i));
  return value;
}
template <std::unsigned_integral T>
void append_number(std::string& bytes, T value) {
  for (size_t i = 0; i < sizeof(T); i++) bytes += char(uint8_t(value >> (8 * i)));
}

}  // namespace weft::media
