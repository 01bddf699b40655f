// SPDX-License-Identifier: Apache-2.0
// Holds textures as a GPU samples them: blocks or RGBA8 of every level, face and layer. Reads and
// writes DDS and KTX2 files.
//
//   ASSIGN_OR_RETURN(Texture texture, read_texture(*file));
//   ... texture.image(level, layer, face) ...
//   ASSIGN_OR_RETURN(std::string bytes, encode_texture(texture, encoding));
//
// These functions decode no blocks and open no file: they read a descriptor or memory and write to
// memory.
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

// Limits. A file that exceeds one is refused before its blocks are read. The largest side, in
// texels, is twice the limit of Direct3D 12.
inline constexpr int kMaxTextureSide = 32768;
inline constexpr int kMaxTextureLevels = 16;  // levels of a texture with the largest side
// layers of an array; the limit of Direct3D 12
inline constexpr int kMaxTextureLayers = 2048;
// bytes of all levels, layers and faces together
inline constexpr int64_t kMaxTextureBytes = int64_t{4} << 30;
// bytes of a file
inline constexpr int64_t kMaxTextureFileBytes = int64_t{6} << 30;
// bytes of the key/value data of a KTX2 file
inline constexpr int64_t kMaxKeyValueBytes = int64_t{1} << 20;
inline constexpr int kCubeFaces = 6;

enum class TextureContainer { kDds, kKtx2 };
const char* name_of(TextureContainer container);  // "DDS"

enum class TextureFormat { kRgba8, kBc1, kBc2, kBc3, kBc4, kBc4Signed, kBc5, kBc5Signed, kBc7 };
const char* name_of(TextureFormat format);  // "BC5 signed"

// The meaning of alpha. In a BC1 texture with opaque alpha, the code for transparent texels means
// black.
enum class TextureAlpha { kUnknown, kStraight, kPremultiplied, kOpaque, kCustom };

// Returns the side of a block in texels. A block of RGBA8 is one texel.
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
// Returns true if the format has an sRGB variant.
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
// Returns true if the format has red, green and blue. Exactly these formats have an sRGB variant.
constexpr bool has_colours(TextureFormat format) { return has_srgb(format); }
// Returns the bytes of one image. Blocks at its right and lower edges are whole.
constexpr int64_t image_bytes(TextureFormat format, int width, int height) {
  const int side = block_side(format);
  return int64_t((width + side - 1) / side) * ((height + side - 1) / side) * block_bytes(format);
}
constexpr int level_side(int side, int level) { return side >> level > 1 ? side >> level : 1; }
// Returns the number of levels down to a single texel.
int full_levels(int width, int height);

// The arrangement of texels in a KTX2 file, by its keys KTXorientation and KTXswizzle. The levels
// are kept in stored order.
struct TextureArrangement {
  bool from_right = false;  // a row begins with its rightmost texel
  bool from_below = false;  // the first row is the lowest one
  // sources of red, green, blue and alpha: 'r', 'g', 'b', 'a', and '0' and '1' for constants
  std::array<char, 4> channels = {'r', 'g', 'b', 'a'};

  bool operator==(const TextureArrangement&) const = default;
  bool is_turned() const { return from_right || from_below; }
  bool is_swizzled() const { return channels != TextureArrangement{}.channels; }
};

// Numbers of colour primaries in descriptors of KTX2 files (Khronos Data Format 1.4, 5.7).
inline constexpr int kPrimariesNotSaid = 0, kPrimariesBt709 = 1, kPrimariesBt2020 = 4,
                     kPrimariesDisplayP3 = 10, kPrimariesAdobeRgb = 11;
std::string primaries_name(int primaries);  // "Display P3"

struct TextureInfo {
  TextureFormat format = TextureFormat::kRgba8;
  bool is_srgb = false;  // colours are sRGB codes
  // false for an old DDS header, which does not state whether colours are sRGB
  bool is_transfer_known = true;
  TextureAlpha alpha = TextureAlpha::kUnknown;
  int primaries = kPrimariesBt709;
  int width = 1;
  int height = 1;
  int layers = 1;
  bool is_array = false;  // is an array; an array may have one layer
  int faces = 1;          // 1, or kCubeFaces in the order +x -x +y -y +z -z
  // number of levels; the first is the largest, and each has half the sides of the previous one,
  // rounded down, at least 1
  int levels = 1;
  TextureArrangement arrangement{};
  std::vector<std::string> keys{};  // keys of a KTX2 file other than those of `arrangement`

  bool operator==(const TextureInfo&) const = default;
  int64_t image_bytes(int level) const {
    return media::image_bytes(format, level_side(width, level), level_side(height, level));
  }
  int images() const { return layers * faces; }
  int64_t bytes() const;  // bytes of all images of all levels
};

// Returns a description for messages: "BC7 sRGB 2048x2048, 12 levels, cube map".
std::string summary_of(const TextureInfo& info);

// Returns INVALID_ARGUMENT if a number exceeds its limit, or if there are more levels than the
// sides can be halved.
Status check_info(const TextureInfo& info, std::string_view name);

struct Texture {
  TextureInfo info{};
  // bytes of each level: the images of layer 0 with all its faces, then of layer 1 and so on; the
  // blocks of an image are in rows from the top left, without gaps
  std::vector<std::string> levels{};
  std::string key_values{};  // key/value data of a KTX2 file, as stored

  std::string_view image(int level, int layer, int face) const;
  std::span<char> writable_image(int level, int layer, int face);
};

// Returns a texture with all blocks zero. Errors are those of check_info(), and RESOURCE_EXHAUSTED.
StatusOr<Texture> make_texture(const TextureInfo& info);

// Reads the whole file. The first bytes determine the format, DDS or KTX2. 32-bit BGRA is read as
// RGBA8. INVALID_ARGUMENT: another format (BC6H, volumes, one dimension, Basis), an exceeded limit.
// DATA_LOSS: damaged or truncated. RESOURCE_EXHAUSTED: no memory.
StatusOr<Texture> read_texture(const InputFile& file);
StatusOr<Texture> read_texture(std::string_view bytes, std::string_view name);
// Returns the properties from the headers. Errors are those of read_texture().
StatusOr<TextureInfo> probe_texture(const InputFile& file);
StatusOr<TextureInfo> probe_texture(std::string_view bytes, std::string_view name, int64_t file_bytes);
// Returns true if the first bytes are those of a DDS or KTX2 file.
StatusOr<bool> is_texture(const InputFile& file);
bool begins_a_texture(std::string_view bytes);
// For a file that arrives as a stream: given its first bytes, returns the number of bytes needed
// for the next call. The file is complete if the result equals the number of `bytes`. Errors are
// those of read_texture(); they are detected before more than the headers is requested.
StatusOr<int64_t> texture_bytes_needed(std::string_view bytes, std::string_view name);

// Returns the container for a file name. INVALID_ARGUMENT if the extension is neither .dds nor
// .ktx2.
StatusOr<TextureContainer> texture_container_of(std::string_view file_name);

struct TextureStorage {
  TextureContainer container = TextureContainer::kDds;
  // KTX2: zstd level that compresses the texture's levels (1 to 19); not given: they are not
  // compressed
  std::optional<int> zstd_level{};
};

// Returns true if a DDS file of this texture gets an old header, which has no transfer function:
// the texture's transfer function is unknown, and an old header can name its format.
bool has_old_dds_header(const TextureInfo& info);

// Returns the bytes of a file. A DDS file has a DX10 header unless has_old_dds_header().
// INVALID_ARGUMENT as check_info(); RESOURCE_EXHAUSTED.
StatusOr<std::string> encode_texture(const Texture& texture, const TextureStorage& encoding);

}  // namespace weft::media
