// SPDX-License-Identifier: Apache-2.0
// Textures as a GPU samples them: blocks or RGBA8 of every level, face and layer; DDS and KTX2 files to them and back.
//
//   ASSIGN_OR_RETURN(Texture texture, read_texture(*file));
//   ... texture.image(level, layer, face) ...
//   ASSIGN_OR_RETURN(std::string bytes, encode_texture(texture, {.container = TextureContainer::kKtx2}));
//
// Nothing is decoded here: blocks stay as they are. No file is opened: bytes come from a descriptor or from memory and go to memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"

namespace weft::media {

// Limits. A file that says more is refused before its blocks are read.
inline constexpr int kMaxTextureSide = 32768;                      // texels: twice what Direct3D 12 takes
inline constexpr int kMaxTextureLevels = 16;                       // of a side of that length
inline constexpr int kMaxTextureLayers = 2048;                     // of an array, as Direct3D 12 has it
inline constexpr int64_t kMaxTextureBytes = int64_t{4} << 30;      // of all levels, layers and faces together
inline constexpr int64_t kMaxTextureFileBytes = int64_t{6} << 30;  // with what else is in a file
inline constexpr int64_t kMaxKeyValueBytes = int64_t{1} << 20;     // of a KTX2 file
inline constexpr int kCubeFaces = 6;

enum class TextureContainer { kDds, kKtx2 };
const char* name_of(TextureContainer container);  // "DDS"

enum class TextureFormat { kRgba8, kBc1, kBc2, kBc3, kBc4, kBc4Signed, kBc5, kBc5Signed, kBc7 };
const char* name_of(TextureFormat format);  // "BC5 signed"

// What its alpha means. A BC1 texture whose alpha is opaque has no transparent texels: their code is black.
enum class TextureAlpha { kUnknown, kStraight, kPremultiplied, kOpaque, kCustom };

// Of RGBA8 a block is a texel.
constexpr int block_side(TextureFormat format) { return format == TextureFormat::kRgba8 ? 1 : 4; }
constexpr int block_bytes(TextureFormat format) {
  switch (format) {
    case TextureFormat::kRgba8:
      return 4;
    case TextureFormat::kBc1:
    case TextureFormat::kBc4:
    case TextureFormat::kBc4Signed:
      return 8;
    default:
      return 16;
  }
}
// Whether there is an sRGB form of it.
constexpr bool has_srgb(TextureFormat format) {
  switch (format) {
    case TextureFormat::kBc4:
    case TextureFormat::kBc4Signed:
    case TextureFormat::kBc5:
    case TextureFormat::kBc5Signed:
      return false;
    default:
      return true;
  }
}
// Whether it has red, green and blue; an sRGB form has each of those.
constexpr bool has_colours(TextureFormat format) { return has_srgb(format); }
// Of one image of that size; the blocks at its right and lower edge are whole.
constexpr int64_t image_bytes(TextureFormat format, int width, int height) {
  const int side = block_side(format);
  return int64_t((width + side - 1) / side) * ((height + side - 1) / side) * block_bytes(format);
}
constexpr int level_side(int side, int level) { return side >> level > 1 ? side >> level : 1; }
// Levels down to a single texel.
int full_levels(int width, int height);

// How texels lie in a KTX2 file, as its keys KTXorientation and KTXswizzle say. Levels are as they are stored.
struct TextureArrangement {
  bool from_right = false;  // a row begins at the right
  bool from_below = false;  // the first row is the lowest
  std::array<char, 4> channels = {'r', 'g', 'b',
                                  'a'};  // what red, green, blue and alpha are read from; '0' and '1' too

  bool operator==(const TextureArrangement&) const = default;
  bool is_turned() const { return from_right || from_below; }
  bool is_swizzled() const { return channels != TextureArrangement{}.channels; }
};

// Primaries of colours, as descriptors of KTX2 files count them (Khronos Data Format 1.4, 5.7).
inline constexpr int kPrimariesNotSaid = 0, kPrimariesBt709 = 1, kPrimariesBt2020 = 4,
                     kPrimariesDisplayP3 = 10, kPrimariesAdobeRgb = 11;
std::string primaries_name(int primaries);  // "Display P3"

struct TextureFacts {
  TextureFormat format = TextureFormat::kRgba8;
  bool is_srgb = false;           // its colours are codes of sRGB
  bool is_transfer_known = true;  // an old DDS header does not say whether they are
  TextureAlpha alpha = TextureAlpha::kUnknown;
  int primaries = kPrimariesBt709;
  int width = 1;
  int height = 1;
  int layers = 1;
  bool is_array = false;  // also with one layer
  int faces = 1;          // or kCubeFaces: +x -x +y -y +z -z
  int levels = 1;         // the first is the largest; each has half the sides of the one before, rounded down
  TextureArrangement arrangement{};
  std::vector<std::string> keys{};  // of a KTX2 file's other values

  bool operator==(const TextureFacts&) const = default;
  int64_t image_bytes(int level) const {
    return media::image_bytes(format, level_side(width, level), level_side(height, level));
  }
  int images() const { return layers * faces; }
  int64_t bytes() const;  // of all images of all levels
};

// "BC7 sRGB 2048x2048, 12 levels, cube map".
std::string summary_of(const TextureFacts& facts);

// INVALID_ARGUMENT naming the limit that is passed, or that there are more levels than sides can be halved.
Status check_facts(const TextureFacts& facts, std::string_view name);

struct Texture {
  TextureFacts facts{};
  // By level: the images of all layers, of each layer its faces; blocks in rows from the top left, without gaps.
  std::vector<std::string> levels{};
  std::string key_values{};  // of a KTX2 file, as they are in it

  std::string_view image(int level, int layer, int face) const;
  std::span<char> writable_image(int level, int layer, int face);
};

// With all blocks zero. INVALID_ARGUMENT as check_facts(), RESOURCE_EXHAUSTED.
StatusOr<Texture> make_texture(const TextureFacts& facts);

// The whole file, DDS or KTX2 by its first bytes, whatever its name. 32-bit BGRA is read as RGBA8. INVALID_ARGUMENT: another
// format (BC6H, volumes, one dimension, Basis), a limit passed. DATA_LOSS: damaged or cut off. RESOURCE_EXHAUSTED: no memory.
StatusOr<Texture> read_texture(const InputFile& file);
StatusOr<Texture> read_texture(std::string_view bytes, std::string_view name);
// The same by the headers alone.
StatusOr<TextureFacts> probe_texture(const InputFile& file);
StatusOr<TextureFacts> probe_texture(std::string_view bytes, std::string_view name, int64_t file_bytes);
// Whether its first bytes are those of a DDS or KTX2 file.
StatusOr<bool> is_texture(const InputFile& file);
bool begins_a_texture(std::string_view bytes);
// Of a file that is one of several in a stream, by what came of it: how many bytes must be there for the next answer; as many as are there: it is
// whole. INVALID_ARGUMENT and DATA_LOSS as read_texture, before a byte more than its headers was asked for.
StatusOr<int64_t> texture_bytes_needed(std::string_view bytes, std::string_view name);

// INVALID_ARGUMENT: neither .dds nor .ktx2.
StatusOr<TextureContainer> texture_container_of(std::string_view file_name);

struct TextureStorage {
  TextureContainer container = TextureContainer::kDds;
  // KTX2: levels are compressed by zstd at this level (1 to 19). Not given: they are not.
  std::optional<int> zstd_level{};
};

// Whether a DDS file of it has an old header, which does not say whether colours are sRGB: where the texture's transfer is not known and such a header
// names its format.
bool has_old_dds_header(const TextureFacts& facts);

// The bytes of a file. DDS: with an old header or one of DX10. RESOURCE_EXHAUSTED.
StatusOr<std::string> encode_texture(const Texture& texture, const TextureStorage& encoding);

}  // namespace weft::media
