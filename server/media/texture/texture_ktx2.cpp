// SPDX-License-Identifier: Apache-2.0
// Reads KTX 2.0 files (Khronos, "KTX File Format Specification" 2.0): a header of 80 bytes, an
// index of levels, a data format descriptor (Khronos Data Format 1.4), keys with values, then the
// levels, the smallest first.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <zstd.h>

#include "server/media/file_calls.h"
#include "server/media/texture/ktx2_format.h"
#include "server/media/texture/texture_formats.h"

namespace weft::media {

namespace {

constexpr size_t kLeastDescriptorBytes = 44;  // a descriptor with one sample

// Offsets in the file.
constexpr size_t kKtxFormatAt = 12, kKtxWidthAt = 20, kKtxHeightAt = 24, kKtxDepthAt = 28, kKtxLayersAt = 32,
                 kKtxFacesAt = 36, kKtxLevelsAt = 40, kSchemeAt = 44, kDescriptorAt = 48, kKeyValuesAt = 56;
constexpr size_t kPrimariesAt = 4 + 9, kDescriptorFlagsAt = 4 + 11;  // offsets in the descriptor

constexpr bool is_vulkan_bc6h(uint32_t number) { return number == 143 || number == 144; }

Status ktx_damaged(std::string_view name, std::string_view what) {
  return data_loss("The KTX2 texture ({}) is damaged: {}.", name, what);
}

// A range of bytes in the file.
struct FileRange {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  bool lies_in(uint64_t end) const { return begin <= end && bytes <= end - begin; }
};

struct KtxHeader {
  TextureInfo info{};
  uint32_t scheme = kNoScheme;
  bool is_bgra = false;
  FileRange descriptor{}, key_values{};
  std::array<FileRange, kMaxTextureLevels> levels{};
};

Status read_ktx_format(std::string_view bytes, std::string_view name, KtxHeader& header) {
  const auto number = number_at<uint32_t>(bytes, kKtxFormatAt);
  header.scheme = number_at<uint32_t>(bytes, kSchemeAt);
  if (is_vulkan_bc6h(number))
    return invalid_argument(
        "The KTX2 texture ({}) is BC6H, whose halves are not read here; give BC1 to BC5, BC7 or RGBA8.",
        name);
  if (header.scheme == kBasisScheme || number == 0)
    return invalid_argument(
        "The KTX2 texture ({}) is one of Basis Universal; transcode it to BC7 first (ktx transcode).", name);
  if (header.scheme != kNoScheme && header.scheme != kZstdScheme)
    return invalid_argument(
        "The KTX2 texture ({}) is supercompressed by a scheme that is not read here ({}); use none or zstd.",
        name, header.scheme);
  const auto* found = std::ranges::find(kVulkanFormats, number, &VulkanFormat::number);
  if (found == std::end(kVulkanFormats))
    return invalid_argument(
        "The KTX2 texture ({}) has a format that is not read here (VkFormat {}); give BC1 to BC5, BC7 or "
        "RGBA8.",
        name, number);
  header.info.format = found->format;
  header.info.is_srgb = found->is_srgb;
  header.is_bgra = found->is_bgra;
  header.info.alpha = found->is_opaque ? TextureAlpha::kOpaque : TextureAlpha::kStraight;
  return ok_status();
}

Status read_ktx_size(std::string_view bytes, std::string_view name, TextureInfo& info) {
  const auto width = number_at<uint32_t>(bytes, kKtxWidthAt),
             height = number_at<uint32_t>(bytes, kKtxHeightAt);
  const auto depth = number_at<uint32_t>(bytes, kKtxDepthAt),
             layers = number_at<uint32_t>(bytes, kKtxLayersAt);
  const auto faces = number_at<uint32_t>(bytes, kKtxFacesAt),
             levels = number_at<uint32_t>(bytes, kKtxLevelsAt);
  if (depth != 0 || height == 0)
    return invalid_argument("The KTX2 texture ({}) is not of two dimensions ({}x{}x{}); give one that is.",
                            name, width, height, depth);
  if (width > uint32_t(kMaxTextureSide) || height > uint32_t(kMaxTextureSide))
    return invalid_argument("The texture ({}) is too large: it has {}x{} texels, a side at most {}.", name,
                            width, height, kMaxTextureSide);
  if (layers > uint32_t(kMaxTextureLayers))
    return invalid_argument("The KTX2 texture ({}) has {} layers; give 1 to {}.", name, layers,
                            kMaxTextureLayers);
  if (levels > uint32_t(kMaxTextureLevels))
    return invalid_argument("The texture ({}) has {} levels; there are at most {}.", name, levels,
                            kMaxTextureLevels);
  info.width = int(width);
  info.height = int(height);
  info.layers = std::max(int(layers), 1);
  info.is_array = layers > 0;
  info.faces = int(std::min(faces, 1u << 16));
  info.levels = std::max(int(levels), 1);
  return check_info(info, name);
}

// Reads the offsets of levels and checks the number of bytes of each.
Status read_ktx_index(const TextureBytes& file, KtxHeader& header) {
  const TextureInfo& info = header.info;
  const size_t index_end = kKtxHeaderBytes + kIndexEntryBytes * size_t(info.levels);
  if (file.bytes.size() < index_end) return ktx_damaged(file.name, "its index of levels is cut off");
  for (int level = 0; level < info.levels; level++) {
    const size_t at = kKtxHeaderBytes + kIndexEntryBytes * size_t(level);
    FileRange& range = header.levels[size_t(level)];
    range = {number_at<uint64_t>(file.bytes, at), number_at<uint64_t>(file.bytes, at + 8)};
    const auto plain = number_at<uint64_t>(file.bytes, at + 16);
    const auto expected = uint64_t(info.image_bytes(level) * info.images());
    if (!range.lies_in(uint64_t(file.file_bytes)))
      return ktx_damaged(file.name,
                         fmt::format("level {} lies outside the file ({} bytes from {} on; the file has {})",
                                     level, range.bytes, range.begin, file.file_bytes));
    if (range.begin < index_end)
      return ktx_damaged(file.name, fmt::format("level {} lies in the header", level));
    if (plain != expected || (header.scheme == kNoScheme && range.bytes != expected))
      return ktx_damaged(file.name, fmt::format("level {} has {} bytes, {} of them stored, instead of {}",
                                                level, plain, range.bytes, expected));
  }
  std::vector<FileRange> sorted(header.levels.begin(), header.levels.begin() + info.levels);
  std::ranges::sort(sorted, {}, &FileRange::begin);
  for (size_t i = 1; i < sorted.size(); i++)
    if (sorted[i - 1].begin + sorted[i - 1].bytes > sorted[i].begin)
      return ktx_damaged(file.name, fmt::format("two levels overlap at byte {}", sorted[i].begin));
  return ok_status();
}

Status take_orientation(std::string_view value, std::string_view name, TextureArrangement& arrangement) {
  if (value != "rd" && value != "ru" && value != "ld" && value != "lu")
    return invalid_argument(
        "The KTX2 texture ({}) states an orientation that is not known (KTXorientation '{}'); rd, ru, ld and "
        "lu are.",
        name, value);
  arrangement.from_right = value[0] == 'l';
  arrangement.from_below = value[1] == 'u';
  return ok_status();
}

Status take_swizzle(std::string_view value, std::string_view name, TextureArrangement& arrangement) {
  if (value.size() != 4 || value.find_first_not_of("rgba01") != std::string_view::npos)
    return invalid_argument(
        "The KTX2 texture ({}) states a swizzle that is not known (KTXswizzle '{}'); it has four letters of "
        "rgba01.",
        name, value);
  std::ranges::copy(value, arrangement.channels.begin());
  return ok_status();
}

Status read_key_values(std::string_view text, std::string_view name, TextureInfo& info) {
  for (size_t at = 0; at < text.size();) {
    const uint64_t bytes = number_at<uint32_t>(text, at);
    if (text.size() - at < 4 || bytes > text.size() - at - 4 || bytes < 2)
      return ktx_damaged(name, fmt::format("its keys and values end within one ({} bytes at {})", bytes, at));
    const std::string_view entry = text.substr(at + 4, size_t(bytes));
    const std::string_view key = entry.substr(0, entry.find('\0'));
    std::string_view value = entry.substr(std::min(key.size() + 1, entry.size()));
    while (value.ends_with('\0')) value.remove_suffix(1);
    if (key == "KTXorientation")
      RETURN_IF_ERROR(take_orientation(value, name, info.arrangement));
    else if (key == "KTXswizzle")
      RETURN_IF_ERROR(take_swizzle(value, name, info.arrangement));
    else
      info.keys.emplace_back(key);
    at += 4 + size_t((bytes + 3) / 4 * 4);
  }
  return ok_status();
}

Status read_notes(const TextureBytes& file, KtxHeader& header, std::string& key_values) {
  const auto range_at = [&](size_t at) {
    return FileRange{number_at<uint32_t>(file.bytes, at), number_at<uint32_t>(file.bytes, at + 4)};
  };
  header.descriptor = range_at(kDescriptorAt);
  header.key_values = range_at(kKeyValuesAt);
  const auto end = uint64_t(file.file_bytes);
  if (!header.descriptor.lies_in(end) || header.descriptor.bytes < kLeastDescriptorBytes)
    return ktx_damaged(file.name, "its data format descriptor lies outside the file, or is too short");
  if (!header.key_values.lies_in(end))
    return ktx_damaged(file.name, "its keys and values lie outside the file");
  if (header.key_values.bytes > uint64_t(kMaxKeyValueBytes))
    return invalid_argument("The KTX2 texture ({}) has {} bytes of keys and values; at most {} are kept.",
                            file.name, header.key_values.bytes, kMaxKeyValueBytes);
  if (header.descriptor.lies_in(file.bytes.size())) {
    const auto flags = uint8_t(file.bytes[header.descriptor.begin + kDescriptorFlagsAt]);
    if ((flags & kKtxPremultiplied) != 0 && header.info.alpha == TextureAlpha::kStraight)
      header.info.alpha = TextureAlpha::kPremultiplied;
    header.info.primaries = uint8_t(file.bytes[header.descriptor.begin + kPrimariesAt]);
  }
  // only the headers were given
  if (!header.key_values.lies_in(file.bytes.size())) return ok_status();
  key_values = file.bytes.substr(header.key_values.begin, header.key_values.bytes);
  return read_key_values(key_values, file.name, header.info);
}

Status read_ktx_level(const TextureBytes& file, const KtxHeader& header, int level, std::string& target) {
  const FileRange& range = header.levels[size_t(level)];
  const std::string_view stored = file.bytes.substr(range.begin, range.bytes);
  if (header.scheme == kNoScheme) {
    std::memcpy(target.data(), stored.data(), target.size());
    return ok_status();
  }
  // The size of the target limits the output, even if the frame declares another size.
  const size_t bytes = ZSTD_decompress(target.data(), target.size(), stored.data(), stored.size());
  if (ZSTD_isError(bytes) != 0)
    return ktx_damaged(file.name,
                       fmt::format("zstd cannot decompress level {} ({})", level, ZSTD_getErrorName(bytes)));
  if (bytes != target.size())
    return ktx_damaged(file.name,
                       fmt::format("level {} has {} bytes instead of {}", level, bytes, target.size()));
  return ok_status();
}

}  // namespace

bool is_ktx2(std::string_view bytes) { return bytes.starts_with(kIdentifier); }

int64_t ktx2_header_bytes(std::string_view bytes) {
  if (bytes.size() < kKtxHeaderBytes) return int64_t(kKtxHeaderBytes);
  const int64_t levels = std::min<int64_t>(number_at<uint32_t>(bytes, kKtxLevelsAt), kMaxTextureLevels);
  return int64_t(kKtxHeaderBytes) + int64_t(kIndexEntryBytes) * std::max<int64_t>(levels, 1);
}

int64_t ktx2_notes_end(std::string_view header) {
  uint64_t end = uint64_t(ktx2_header_bytes(header));
  for (const size_t at : {kDescriptorAt, kKeyValuesAt})
    end = std::max(end, uint64_t{number_at<uint32_t>(header, at)} + number_at<uint32_t>(header, at + 4));
  return int64_t(end);
}

int64_t ktx2_bytes(std::string_view header, const TextureInfo& info) {
  uint64_t end = uint64_t(ktx2_notes_end(header));
  for (int level = 0; level < info.levels; level++) {
    const size_t at = kKtxHeaderBytes + kIndexEntryBytes * size_t(level);
    end = std::max(end, number_at<uint64_t>(header, at) + number_at<uint64_t>(header, at + 8));
  }
  return int64_t(std::min(end, uint64_t(std::numeric_limits<int64_t>::max())));
}

StatusOr<Texture> read_ktx2(const TextureBytes& file) {
  if (file.bytes.size() < kKtxHeaderBytes) return ktx_damaged(file.name, "its header is cut off");
  KtxHeader header;
  std::string key_values;
  RETURN_IF_ERROR(read_ktx_format(file.bytes, file.name, header));
  RETURN_IF_ERROR(read_ktx_size(file.bytes, file.name, header.info));
  RETURN_IF_ERROR(read_notes(file, header, key_values));
  RETURN_IF_ERROR(read_ktx_index(file, header));
  Texture texture;
  texture.info = header.info;
  if (!file.read_levels) return texture;
  ASSIGN_OR_RETURN(texture, make_texture(header.info));
  texture.key_values = std::move(key_values);
  for (int level = 0; level < header.info.levels; level++) {
    std::string& target = texture.levels[size_t(level)];
    RETURN_IF_ERROR(read_ktx_level(file, header, level, target));
    if (header.is_bgra)
      for (size_t at = 0; at + 4 <= target.size(); at += 4) std::swap(target[at], target[at + 2]);
    chunk_done();
  }
  return texture;
}

}  // namespace weft::media
