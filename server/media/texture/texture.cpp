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

// Where an image of a level begins.
size_t place_of(const TextureFacts& facts, int level, int layer, int face) {
  return size_t(layer * facts.faces + face) * size_t(facts.image_bytes(level));
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

int64_t TextureFacts::bytes() const {
  int64_t sum = 0;
  for (int level = 0; level < levels; level++) sum += image_bytes(level) * images();
  return sum;
}

int full_levels(int width, int height) { return int(std::bit_width(unsigned(std::max({width, height, 1})))); }

std::string summary_of(const TextureFacts& facts) {
  std::string text = fmt::format("{}{} {}x{}", name_of(facts.format), facts.is_srgb ? " sRGB" : "",
                                 facts.width, facts.height);
  if (facts.levels > 1) text += fmt::format(", {} levels", facts.levels);
  if (facts.is_array) text += fmt::format(", {} layer{}", facts.layers, facts.layers == 1 ? "" : "s");
  if (facts.faces > 1) text += ", cube map";
  return text;
}

Status check_facts(const TextureFacts& facts, std::string_view name) {
  if (facts.width < 1 || facts.height < 1)
    return invalid_argument("The texture ({}) is empty ({}x{} texels).", name, facts.width, facts.height);
  if (facts.width > kMaxTextureSide || facts.height > kMaxTextureSide)
    return invalid_argument("The texture ({}) is too large: it has {}x{} texels, a side at most {}.", name,
                            facts.width, facts.height, kMaxTextureSide);
  if (facts.layers < 1 || facts.layers > kMaxTextureLayers)
    return invalid_argument("The texture ({}) has {} layers; give 1 to {}.", name, facts.layers,
                            kMaxTextureLayers);
  if (facts.faces != 1 && facts.faces != kCubeFaces)
    return invalid_argument("The texture ({}) has {} faces; give 1, or {} of a cube map.", name, facts.faces,
                            kCubeFaces);
  if (facts.faces == kCubeFaces && facts.width != facts.height)
    return invalid_argument("The cube map ({}) has faces of {}x{} texels, which are no squares.", name,
                            facts.width, facts.height);
  if (facts.is_srgb && !has_srgb(facts.format))
    return invalid_argument("The texture ({}) is said to be sRGB, and {} has no such form; leave that out.",
                            name, name_of(facts.format));
  if (facts.levels < 1 || facts.levels > full_levels(facts.width, facts.height))
    return invalid_argument("The texture ({}) has {} levels; one of {}x{} texels has 1 to {}.", name,
                            facts.levels, facts.width, facts.height, full_levels(facts.width, facts.height));
  const int64_t bytes = facts.bytes();  // at most 2^32 of an image, 2^14 images and 2^4 levels: no overflow
  if (bytes > kMaxTextureBytes)
    return invalid_argument("The texture ({}) is too large: it has {} bytes, at most {} are read.", name,
                            bytes, kMaxTextureBytes);
  return ok_status();
}

std::string_view Texture::image(int level, int layer, int face) const {
  return std::string_view(levels[size_t(level)])
      .substr(place_of(facts, level, layer, face), size_t(facts.image_bytes(level)));
}

std::span<char> Texture::writable_image(int level, int layer, int face) {
  return std::span(levels[size_t(level)])
      .subspan(place_of(facts, level, layer, face), size_t(facts.image_bytes(level)));
}

StatusOr<Texture> make_texture(const TextureFacts& facts) {
  RETURN_IF_ERROR(check_facts(facts, "in memory"));
  Texture texture;
  texture.facts = facts;
  try {
    for (int level = 0; level < facts.levels; level++)
      texture.levels.emplace_back(size_t(facts.image_bytes(level) * facts.images()), '\0');
  } catch (const std::bad_alloc&) {
    return resource_exhausted("There is no memory for a texture ({}).", summary_of(facts));
  }
  return texture;
}

StatusOr<Texture> read_texture(std::string_view bytes, std::string_view name) {
  return read_container({bytes, name, true, int64_t(bytes.size())});
}

StatusOr<TextureFacts> probe_texture(std::string_view bytes, std::string_view name, int64_t file_bytes) {
  ASSIGN_OR_RETURN(const Texture texture, read_container({bytes, name, false, file_bytes}));
  return texture.facts;
}

bool begins_a_texture(std::string_view bytes) { return is_dds(bytes) || is_ktx2(bytes); }

StatusOr<int64_t> texture_bytes_needed(std::string_view bytes, std::string_view name) {
  constexpr int64_t kMarkBytes = 12;  // the longer of the two
  if (int64_t(bytes.size()) < kMarkBytes) return kMarkBytes;
  if (!begins_a_texture(bytes)) return not_a_texture(name);
  const int64_t header = is_dds(bytes) ? dds_header_bytes(bytes) : ktx2_header_bytes(bytes);
  if (int64_t(bytes.size()) < header) return header;
  constexpr int64_t kNotKnown = std::numeric_limits<int64_t>::max();
  ASSIGN_OR_RETURN(const TextureFacts facts, probe_texture(bytes, name, kNotKnown));
  const int64_t whole = is_dds(bytes) ? dds_bytes(bytes, facts) : ktx2_bytes(bytes, facts);
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
  RETURN_IF_ERROR(check_facts(texture.facts, "to be written"));
  try {
    if (encoding.container == TextureContainer::kDds) return encode_dds(texture);
    return encode_ktx2(texture, encoding.zstd_level);
  } catch (const std::bad_alloc&) {
    return resource_exhausted("There is no memory to write the texture ({}).", summary_of(texture.facts));
  }
}

}  // namespace weft::media
