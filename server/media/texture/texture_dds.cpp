// SPDX-License-Identifier: Apache-2.0
// Reads and writes DirectDraw Surface files (Microsoft, "Programming Guide for DDS"): a header of
// 128 bytes, 20 more with the fourCC DX10, then the levels of each layer and face, largest first.
#include <algorithm>
#include <array>
#include <cstring>

#include "server/media/file_calls.h"
#include "server/media/texture/texture_formats.h"

namespace weft::media {

namespace {

constexpr std::string_view kDdsMagic = "DDS ";
constexpr size_t kDdsHeaderBytes = 128;
constexpr size_t kDx10Bytes = 20;
constexpr uint32_t kStructBytes = 124, kPixelFormatBytes = 32;
// Other values that some tools write into the size fields of equal headers.
constexpr uint32_t kOtherStructBytes = 24, kOtherPixelFormatBytes = 24, kNoPixelFormatBytes = 0;

// Offsets in the file.
constexpr size_t kSizeAt = 4, kFlagsAt = 8, kDdsHeightAt = 12, kDdsWidthAt = 16, kDdsLevelsAt = 28,
                 kFormatSizeAt = 76, kFormatFlagsAt = 80, kFourCcAt = 84, kBitsAt = 88, kMasksAt = 92,
                 kCaps2At = 112, kDxgiAt = 128, kDimensionAt = 132, kMiscAt = 136, kArrayAt = 140,
                 kMisc2At = 144;

// Flags of the pixel format.
constexpr uint32_t kHasAlpha = 0x1, kHasFourCc = 0x4, kIsRgb = 0x40;
// a flag of the header
constexpr uint32_t kHasLevels = 0x20000;
constexpr uint32_t kIsCube = 0x200, kAllFaces = 0xfc00, kIsVolume = 0x200000;  // flags of caps2
constexpr uint32_t kNoDimension = 0, kDimension2 = 3, kMiscCube = 4, kAlphaModes = 5;

constexpr uint32_t four_cc(const char (&text)[5]) {
  return uint32_t(uint8_t(text[0])) | uint32_t(uint8_t(text[1])) << 8 | uint32_t(uint8_t(text[2])) << 16 |
         uint32_t(uint8_t(text[3])) << 24;
}
constexpr uint32_t kDx10 = four_cc("DX10");

struct OldFormat {
  uint32_t four_cc;
  TextureFormat format;
  TextureAlpha alpha = TextureAlpha::kUnknown;
};
// The first entry of a format is used for writing.
constexpr OldFormat kOldFormats[] = {
    {four_cc("DXT1"), TextureFormat::kBc1},
    {four_cc("DXT3"), TextureFormat::kBc2},
    {four_cc("DXT2"), TextureFormat::kBc2, TextureAlpha::kPremultiplied},
    {four_cc("DXT5"), TextureFormat::kBc3},
    {four_cc("DXT4"), TextureFormat::kBc3, TextureAlpha::kPremultiplied},
    {four_cc("ATI1"), TextureFormat::kBc4},
    {four_cc("BC4U"), TextureFormat::kBc4},
    {four_cc("BC4S"), TextureFormat::kBc4Signed},
    {four_cc("ATI2"), TextureFormat::kBc5},
    {four_cc("BC5U"), TextureFormat::kBc5},
    {four_cc("BC5S"), TextureFormat::kBc5Signed},
};

struct DxgiFormat {
  uint32_t number;
  TextureFormat format;
  bool is_srgb = false;
  bool is_bgra = false;
};
// The first entry of a format is used for writing. Typeless formats are read as their UNORM
// variants.
constexpr DxgiFormat kDxgiFormats[] = {
    {28, TextureFormat::kRgba8},
    {29, TextureFormat::kRgba8, true},
    {27, TextureFormat::kRgba8},
    {87, TextureFormat::kRgba8, false, true},
    {91, TextureFormat::kRgba8, true, true},
    {71, TextureFormat::kBc1},
    {72, TextureFormat::kBc1, true},
    {70, TextureFormat::kBc1},
    {74, TextureFormat::kBc2},
    {75, TextureFormat::kBc2, true},
    {73, TextureFormat::kBc2},
    {77, TextureFormat::kBc3},
    {78, TextureFormat::kBc3, true},
    {76, TextureFormat::kBc3},
    {80, TextureFormat::kBc4},
    {81, TextureFormat::kBc4Signed},
    {79, TextureFormat::kBc4},
    {83, TextureFormat::kBc5},
    {84, TextureFormat::kBc5Signed},
    {82, TextureFormat::kBc5},
    {98, TextureFormat::kBc7},
    {99, TextureFormat::kBc7, true},
    {97, TextureFormat::kBc7},
};
constexpr bool is_dxgi_bc6h(uint32_t dxgi) { return dxgi >= 94 && dxgi <= 96; }

// The bit masks of red, green, blue and alpha in 32 bits.
struct DdsMasks {
  std::array<uint32_t, 4> mask;
  bool is_bgra;
};
constexpr DdsMasks kDdsMasks[] = {{{0xff, 0xff00, 0xff0000, 0xff000000}, false},
                                  {{0xff0000, 0xff00, 0xff, 0xff000000}, true}};

Status dds_damaged(std::string_view name, std::string_view what) {
  return data_loss("The DDS texture ({}) is damaged: {}.", name, what);
}
Status dds_bc6h_refused(std::string_view name) {
  return invalid_argument(
      "The DDS texture ({}) is BC6H, whose halves are not read here; give BC1 to BC5, BC7 or RGBA8.", name);
}

struct DdsHeader {
  TextureInfo info{};
  bool is_bgra = false;
  bool is_opaque = false;  // the fourth byte of a texel has no meaning
  size_t data_at = kDdsHeaderBytes;
};

// Reads a header without the DX10 extension.
Status read_old_format(std::string_view bytes, std::string_view name, DdsHeader& header) {
  const auto flags = number_at<uint32_t>(bytes, kFormatFlagsAt);
  header.info.is_transfer_known = false;
  if ((flags & kHasFourCc) != 0) {
    const auto code = number_at<uint32_t>(bytes, kFourCcAt);
    const auto* found = std::ranges::find(kOldFormats, code, &OldFormat::four_cc);
    if (found == std::end(kOldFormats))
      return invalid_argument(
          "The DDS texture ({}) has a format that is not read here (fourCC 0x{:08x}); give BC1 to BC5, BC7 "
          "or RGBA8.",
          name, code);
    header.info.format = found->format;
    header.info.alpha = found->alpha;
    return ok_status();
  }
  std::array<uint32_t, 4> mask{};
  for (size_t i = 0; i < 4; i++) mask[i] = number_at<uint32_t>(bytes, kMasksAt + 4 * i);
  header.is_opaque = (flags & kHasAlpha) == 0;
  if (header.is_opaque) mask[3] = 0xff000000;
  const auto* found = std::ranges::find(kDdsMasks, mask, &DdsMasks::mask);
  const auto bits = number_at<uint32_t>(bytes, kBitsAt);
  if ((flags & kIsRgb) == 0 || bits != 32 || found == std::end(kDdsMasks))
    return invalid_argument(
        "The DDS texture ({}) has texels that are not read here (flags 0x{:x}, {} bits); give BC1 to BC5, "
        "BC7 or RGBA8.",
        name, flags, bits);
  header.info.format = TextureFormat::kRgba8;
  header.info.alpha = header.is_opaque ? TextureAlpha::kOpaque : TextureAlpha::kUnknown;
  header.is_bgra = found->is_bgra;
  return ok_status();
}

Status read_dx10(std::string_view bytes, std::string_view name, DdsHeader& header) {
  if (bytes.size() < kDdsHeaderBytes + kDx10Bytes) return dds_damaged(name, "its DX10 header is cut off");
  header.data_at = kDdsHeaderBytes + kDx10Bytes;
  const auto dxgi = number_at<uint32_t>(bytes, kDxgiAt);
  if (is_dxgi_bc6h(dxgi)) return dds_bc6h_refused(name);
  const auto* found = std::ranges::find(kDxgiFormats, dxgi, &DxgiFormat::number);
  if (found == std::end(kDxgiFormats))
    return invalid_argument(
        "The DDS texture ({}) has a format that is not read here (DXGI {}); give BC1 to BC5, BC7 or RGBA8.",
        name, dxgi);
  const auto dimension = number_at<uint32_t>(bytes, kDimensionAt);
  if (dimension != kDimension2 && dimension != kNoDimension)
    return invalid_argument(
        "The DDS texture ({}) is not of two dimensions (resource dimension {}); give one that is.", name,
        dimension);
  // Some tools write 0 for a texture that is no array.
  const auto layers = std::max(number_at<uint32_t>(bytes, kArrayAt), 1u);
  if (layers > uint32_t(kMaxTextureLayers))
    return invalid_argument("The DDS texture ({}) has {} layers; give 1 to {}.", name, layers,
                            kMaxTextureLayers);
  const uint32_t alpha = number_at<uint32_t>(bytes, kMisc2At) & 7;
  header.info.format = found->format;
  header.info.is_srgb = found->is_srgb;
  header.is_bgra = found->is_bgra;
  header.info.alpha = alpha < kAlphaModes ? TextureAlpha(alpha) : TextureAlpha::kUnknown;
  header.info.layers = int(layers);
  header.info.is_array = layers > 1;
  if ((number_at<uint32_t>(bytes, kMiscAt) & kMiscCube) != 0) header.info.faces = kCubeFaces;
  return ok_status();
}

Status check_header_sizes(std::string_view bytes, std::string_view name) {
  const auto size = number_at<uint32_t>(bytes, kSizeAt),
             format_size = number_at<uint32_t>(bytes, kFormatSizeAt);
  if (size != kStructBytes && size != kOtherStructBytes)
    return invalid_argument(
        "The DDS texture ({}) has a header of {} bytes by its own account; DDS headers have {}.", name, size,
        kStructBytes);
  if (format_size != kPixelFormatBytes && format_size != kOtherPixelFormatBytes &&
      format_size != kNoPixelFormatBytes)
    return invalid_argument(
        "The DDS texture ({}) describes its pixels in {} bytes by its own account; DDS headers do so in {}.",
        name, format_size, kPixelFormatBytes);
  return ok_status();
}

// Reads the cube map flag of the old header. A DX10 header has its own flag, but some tools set
// only the old one.
Status read_dds_cube(std::string_view bytes, std::string_view name, TextureInfo& info) {
  const auto caps2 = number_at<uint32_t>(bytes, kCaps2At);
  if ((caps2 & kIsVolume) != 0)
    return invalid_argument("The DDS texture ({}) is a volume; give one of two dimensions.", name);
  if ((caps2 & kIsCube) == 0 || info.faces == kCubeFaces) return ok_status();
  const uint32_t faces = caps2 & kAllFaces;
  if (faces != kAllFaces && faces != 0)
    return invalid_argument("The DDS cube map ({}) lacks faces (caps2 0x{:x}); give all {}.", name, caps2,
                            kCubeFaces);
  info.faces = kCubeFaces;
  return ok_status();
}

// Corrects the layers of a cube map. The header holds the number of cubes, but some tools write the
// number of faces. That case is detected if the file is too small for cubes and large enough for
// faces.
void count_cubes(int64_t data_bytes, TextureInfo& info) {
  if (info.faces != kCubeFaces || info.layers % kCubeFaces != 0 || info.bytes() <= data_bytes) return;
  TextureInfo counted = info;
  counted.layers /= kCubeFaces;
  counted.is_array = counted.layers > 1;
  if (counted.bytes() <= data_bytes) info = counted;
}

StatusOr<DdsHeader> read_dds_header(const TextureBytes& file) {
  const std::string_view bytes = file.bytes, name = file.name;
  if (bytes.size() < kDdsHeaderBytes) return dds_damaged(name, "its header is cut off");
  RETURN_IF_ERROR(check_header_sizes(bytes, name));
  DdsHeader header;
  const bool is_dx10 = (number_at<uint32_t>(bytes, kFormatFlagsAt) & kHasFourCc) != 0 &&
                       number_at<uint32_t>(bytes, kFourCcAt) == kDx10;
  RETURN_IF_ERROR(is_dx10 ? read_dx10(bytes, name, header) : read_old_format(bytes, name, header));
  RETURN_IF_ERROR(read_dds_cube(bytes, name, header.info));
  const auto width = number_at<uint32_t>(bytes, kDdsWidthAt),
             height = number_at<uint32_t>(bytes, kDdsHeightAt);
  if (width > uint32_t(kMaxTextureSide) || height > uint32_t(kMaxTextureSide))
    return invalid_argument("The texture ({}) is too large: it has {}x{} texels, a side at most {}.", name,
                            width, height, kMaxTextureSide);
  header.info.width = int(width);
  header.info.height = int(height);
  // The field is read without its flag: it holds 0 or 1 if there is one level, and some tools
  // forget the flag.
  const auto levels = std::max(number_at<uint32_t>(bytes, kDdsLevelsAt), 1u);
  if (levels > uint32_t(kMaxTextureLevels))
    return invalid_argument("The texture ({}) has {} levels; there are at most {}.", name, levels,
                            kMaxTextureLevels);
  header.info.levels = int(levels);
  count_cubes(file.file_bytes - int64_t(header.data_at), header.info);
  RETURN_IF_ERROR(check_info(header.info, name));
  return header;
}

void to_rgba(const DdsHeader& header, std::span<char> texels) {
  for (size_t at = 0; at + 4 <= texels.size(); at += 4) {
    if (header.is_bgra) std::swap(texels[at], texels[at + 2]);
    if (header.is_opaque) texels[at + 3] = char(0xff);
  }
}

uint32_t dxgi_of(const TextureInfo& info) {
  const auto* found = std::ranges::find_if(kDxgiFormats, [&](const DxgiFormat& each) {
    return each.format == info.format && each.is_srgb == info.is_srgb;
  });
  return found == std::end(kDxgiFormats) ? 0 : found->number;
}

// Returns the fourCC of an old header that preserves all known properties, or 0.
uint32_t old_code_of(const TextureInfo& info) {
  if (info.is_transfer_known || info.is_array) return 0;
  const auto* found = std::ranges::find_if(kOldFormats, [&](const OldFormat& each) {
    return each.format == info.format && each.alpha == info.alpha;
  });
  return found == std::end(kOldFormats) ? 0 : found->four_cc;
}

std::string dds_header_of(const TextureInfo& info) {
  const uint32_t old_code = old_code_of(info);
  const bool is_cube = info.faces == kCubeFaces;
  std::string bytes(kDdsMagic);
  const auto put = [&](std::initializer_list<uint32_t> numbers) {
    for (const uint32_t number : numbers) append_number(bytes, number);
  };
  const uint32_t levels_flag = info.levels > 1 ? kHasLevels : 0;
  const bool is_plain = info.format == TextureFormat::kRgba8;
  const auto pitch = uint32_t(is_plain ? int64_t(info.width) * 4 : info.image_bytes(0));
  put({kStructBytes, 0x1007 | levels_flag | (is_plain ? 0x8u : 0x80000u), uint32_t(info.height),
       uint32_t(info.width), pitch, 0, uint32_t(info.levels)});
  bytes.append(11 * 4, '\0');
  put({kPixelFormatBytes, kHasFourCc, old_code == 0 ? kDx10 : old_code, 0, 0, 0, 0, 0});
  put({0x1000 | (info.levels > 1 ? 0x400008u : 0u) | (is_cube ? 0x8u : 0u),
       is_cube ? kIsCube | kAllFaces : 0u, 0, 0, 0});
  if (old_code == 0)
    put({dxgi_of(info), kDimension2, is_cube ? kMiscCube : 0u, uint32_t(info.layers), uint32_t(info.alpha)});
  return bytes;
}

}  // namespace

bool has_old_dds_header(const TextureInfo& info) { return old_code_of(info) != 0; }

bool is_dds(std::string_view bytes) { return bytes.starts_with(kDdsMagic); }

int64_t dds_header_bytes(std::string_view bytes) {
  const bool is_dx10 = bytes.size() >= kDdsHeaderBytes &&
                       (number_at<uint32_t>(bytes, kFormatFlagsAt) & kHasFourCc) != 0 &&
                       number_at<uint32_t>(bytes, kFourCcAt) == kDx10;
  return int64_t(kDdsHeaderBytes + (is_dx10 ? kDx10Bytes : 0));
}

int64_t dds_bytes(std::string_view header, const TextureInfo& info) {
  return dds_header_bytes(header) + info.bytes();
}

StatusOr<Texture> read_dds(const TextureBytes& file) {
  ASSIGN_OR_RETURN(const DdsHeader header, read_dds_header(file));
  const TextureInfo& info = header.info;
  const int64_t needed = info.bytes();
  if (needed > file.file_bytes - int64_t(header.data_at))
    return dds_damaged(file.name,
                       fmt::format("{} take {} bytes after the header, and {} are there", summary_of(info),
                                   needed, std::max<int64_t>(0, file.file_bytes - int64_t(header.data_at))));
  Texture texture;
  texture.info = info;
  if (!file.read_levels) return texture;
  ASSIGN_OR_RETURN(texture, make_texture(info));
  size_t at = header.data_at;
  for (int image = 0; image < info.images(); image++)
    for (int level = 0; level < info.levels; level++) {
      const std::span<char> target = texture.writable_image(level, image / info.faces, image % info.faces);
      std::memcpy(target.data(), file.bytes.data() + at, target.size());
      at += target.size();
      if (header.is_bgra || header.is_opaque) to_rgba(header, target);
      chunk_done();
    }
  return texture;
}

StatusOr<std::string> encode_dds(const Texture& texture) {
  const TextureInfo& info = texture.info;
  std::string bytes = dds_header_of(info);
  for (int image = 0; image < info.images(); image++)
    for (int level = 0; level < info.levels; level++) {
      bytes += texture.image(level, image / info.faces, image % info.faces);
      chunk_done();
    }
  return bytes;
}

}  // namespace weft::media
