// SPDX-License-Identifier: Apache-2.0
// Declares the containers of texture.h, with a function to read and one to encode each, and reads
// little-endian numbers. Other folders must not include this file.
#pragma once

#include <array>
#include <concepts>

#include "server/media/texture/texture.h"

namespace weft::media {

struct TextureBytes {
  std::string_view bytes{};
  std::string_view name{};  // name for messages
  bool read_levels = true;  // if false, only the headers are read, and `bytes` may end after them
  int64_t file_bytes = 0;   // size of the whole file
};
// bytes at the begin of a file that contain the fixed headers of either container
inline constexpr size_t kTextureHeaderBytes = 1024;

bool is_dds(std::string_view bytes);
int64_t dds_header_bytes(std::string_view bytes);  // `bytes`: 12 or more
// Returns the size of the whole file.
int64_t dds_bytes(std::string_view header, const TextureInfo& info);
StatusOr<Texture> read_dds(const TextureBytes& file);
StatusOr<std::string> encode_dds(const Texture& texture);

bool is_ktx2(std::string_view bytes);
int64_t ktx2_header_bytes(std::string_view bytes);
// Returns the end of the file's descriptor and key/value data, as an offset.
int64_t ktx2_notes_end(std::string_view header);
int64_t ktx2_bytes(std::string_view header, const TextureInfo& info);
StatusOr<Texture> read_ktx2(const TextureBytes& file);
StatusOr<std::string> encode_ktx2(const Texture& texture, std::optional<int> zstd_level);

// Returns the little-endian number at offset `at`, or 0 past the end.
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
