// SPDX-License-Identifier: Apache-2.0
#include "server/media/texture/texture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <limits>
#include <new>

#include "server/media/texture/texture_formats.h"

namespace weft::media {

namespace {

Status not_a_texture(std::string_view name) {
  return invalid_argument("The file ({}) is no texture that is known here; give DDS or KTX2.", name);
}

StatusOr<Texture> read_container(const TextureBytes& file) {
  if (is_dds(file.bytes)) return read_dds(file);
  if (is_ktx2(file.bytes)) return read_ktx2(file);
  return not_a_texture(file.name);
}

// Returns the offset of an image of a level.
size_t offset_of(const TextureInfo& info, int level, int layer, int face) {
  return size_t(layer * info.faces + face) * size_t(info.image_bytes(level));
}

}  // namespace

const char* name_of(TextureContainer container) {
  return container == TextureContainer::kDds ? "DDS" : "KTX2";
}

const char* name_of(TextureFormat format) {
  constexpr std::array kNames = {"RGBA8",      "BC1", "BC2",        "BC3", "BC4",
                                 "BC4 signed", "BC5", "BC5 signed", "BC7"};
  return kNames[size_t(format)];
}

std::string primaries_name(int primaries) {
  constexpr std::array kNames = {"not stated",
                                 "BT.709",
                                 "BT.601 (625 lines)",
                                 "BT.601 (525 lines)",
                                 "BT.2020",
                                 "CIE XYZ",
                                 "ACES",
                                 "ACEScc",
                                 "NTSC of 1953",
                                 "PAL 525",
                                 "Display P3",
                                 "Adobe RGB"};
  if (primaries >= 0 && size_t(primaries) < kNames.size()) return kNames[size_t(primaries)];
  return fmt::format("number {}", primaries);
}

int64_t TextureInfo::bytes() const {
  int64_t sum = 0;
  for (int level = 0; level < levels; level++) sum += image_bytes(level) * images();
  return sum;
}

int full_levels(int width, int height) { return int(std::bit_width(unsigned(std::max({width, height, 1})))); }

std::string summary_of(const TextureInfo& info) {
  std::string text =
      fmt::format("{}{} {}x{}", name_of(info.format), info.is_srgb ? " sRGB" : "", info.width, info.height);
  if (info.levels > 1) text += fmt::format(", {} levels", info.levels);
  if (info.is_array) text += fmt::format(", {} layer{}", info.layers, info.layers == 1 ? "" : "s");
  if (info.faces > 1) text += ", cube map";
  return text;
}

Status check_info(const TextureInfo& info, std::string_view name) {
  if (info.width < 1 || info.height < 1)
    return invalid_argument("The texture ({}) is empty ({}x{} texels).", name, info.width, info.height);
  if (info.width > kMaxTextureSide || info.height > kMaxTextureSide)
    return invalid_argument("The texture ({}) is too large: it has {}x{} texels, a side at most {}.", name,
                            info.width, info.height, kMaxTextureSide);
  if (info.layers < 1 || info.layers > kMaxTextureLayers)
    return invalid_argument("The texture ({}) has {} layers; give 1 to {}.", name, info.layers,
                            kMaxTextureLayers);
  if (info.faces != 1 && info.faces != kCubeFaces)
    return invalid_argument("The texture ({}) has {} faces; give 1, or {} of a cube map.", name, info.faces,
                            kCubeFaces);
  if (info.faces == kCubeFaces && info.width != info.height)
    return invalid_argument("The cube map ({}) has faces of {}x{} texels, which are no squares.", name,
                            info.width, info.height);
  if (info.is_srgb && !has_srgb(info.format))
    return invalid_argument("The texture ({}) is said to be sRGB, and {} has no such form; leave that out.",
                            name, name_of(info.format));
  if (info.levels < 1 || info.levels > full_levels(info.width, info.height))
    return invalid_argument("The texture ({}) has {} levels; one of {}x{} texels has 1 to {}.", name,
                            info.levels, info.width, info.height, full_levels(info.width, info.height));
  // No overflow: an image has at most 2^32 bytes, and there are at most 2^14 images and 2^4 levels.
  const int64_t bytes = info.bytes();
  if (bytes > kMaxTextureBytes)
    return invalid_argument("The texture ({}) is too large: it has {} bytes, at most {} are read.", name,
                            bytes, kMaxTextureBytes);
  return ok_status();
}

std::string_view Texture::image(int level, int layer, int face) const {
  return std::string_view(levels[size_t(level)])
      .substr(offset_of(info, level, layer, face), size_t(info.image_bytes(level)));
}

std::span<char> Texture::writable_image(int level, int layer, int face) {
  return std::span(levels[size_t(level)])
      .subspan(offset_of(info, level, layer, face), size_t(info.image_bytes(level)));
}

StatusOr<Texture> make_texture(const TextureInfo& info) {
  RETURN_IF_ERROR(check_info(info, "in memory"));
  Texture texture;
  texture.info = info;
  try {
    for (int level = 0; level < info.levels; level++)
      texture.levels.emplace_back(size_t(info.image_bytes(level) * info.images()), '\0');
  } catch (const std::bad_alloc&) {
    return resource_exhausted("There is no memory for a texture ({}).", summary_of(info));
  }
  return texture;
}

StatusOr<Texture> read_texture(std::string_view bytes, std::string_view name) {
  return read_container({bytes, name, true, int64_t(bytes.size())});
}

StatusOr<TextureInfo> probe_texture(std::string_view bytes, std::string_view name, int64_t file_bytes) {
  ASSIGN_OR_RETURN(const Texture texture, read_container({bytes, name, false, file_bytes}));
  return texture.info;
}

bool begins_a_texture(std::string_view bytes) { return is_dds(bytes) || is_ktx2(bytes); }

StatusOr<int64_t> texture_bytes_needed(std::string_view bytes, std::string_view name) {
  constexpr int64_t kMarkBytes = 12;  // bytes of KTX2's mark, which is longer than that of DDS
  if (int64_t(bytes.size()) < kMarkBytes) return kMarkBytes;
  if (!begins_a_texture(bytes)) return not_a_texture(name);
  const int64_t header = is_dds(bytes) ? dds_header_bytes(bytes) : ktx2_header_bytes(bytes);
  if (int64_t(bytes.size()) < header) return header;
  constexpr int64_t kNotKnown = std::numeric_limits<int64_t>::max();
  ASSIGN_OR_RETURN(const TextureInfo info, probe_texture(bytes, name, kNotKnown));
  const int64_t whole = is_dds(bytes) ? dds_bytes(bytes, info) : ktx2_bytes(bytes, info);
  if (whole > kMaxTextureFileBytes)
    return invalid_argument("The texture ({}) takes {} bytes, at most {} are read.", name, whole,
                            kMaxTextureFileBytes);
  return whole;
}

StatusOr<TextureContainer> texture_container_of(std::string_view file_name) {
  std::string lower(file_name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (lower.ends_with(".dds")) return TextureContainer::kDds;
  if (lower.ends_with(".ktx2")) return TextureContainer::kKtx2;
  return invalid_argument("The file name ({}) ends in no extension of a texture format; use .dds or .ktx2.",
                          file_name);
}

StatusOr<std::string> encode_texture(const Texture& texture, const TextureStorage& encoding) {
  RETURN_IF_ERROR(check_info(texture.info, "to be written"));
  try {
    if (encoding.container == TextureContainer::kDds) return encode_dds(texture);
    return encode_ktx2(texture, encoding.zstd_level);
  } catch (const std::bad_alloc&) {
    return resource_exhausted("There is no memory to write the texture ({}).", summary_of(texture.info));
  }
}

}  // namespace weft::media
