// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>

#include <zstd.h>

#include "server/media/file_calls.h"
#include "server/media/texture/ktx2_format.h"
#include "server/media/texture/texture_formats.h"

namespace weft::media {

namespace {

// A sample of the data format descriptor.
struct DescriptorSample {
  uint32_t bit_offset, bits;
  uint32_t channel;  // channel number with its qualifier flags
  uint32_t lower, upper;
};
constexpr uint32_t kAlphaChannel = 15, kLinear = 0x10, kSigned = 0x40;
constexpr uint32_t kRgbModel = 1, kBc1Model = 128;

std::vector<DescriptorSample> samples_of(const TextureInfo& info) {
  const uint32_t alpha = kAlphaChannel | (info.is_srgb ? kLinear : 0);
  constexpr uint32_t kAll = 0xffffffff;
  constexpr uint32_t kLowest = 0x80000000, kHighest = 0x7fffffff;
  switch (info.format) {
    case TextureFormat::kRgba8:
      return {{0, 8, 0, 0, 255}, {8, 8, 1, 0, 255}, {16, 8, 2, 0, 255}, {24, 8, alpha, 0, 255}};
    case TextureFormat::kBc1:
      return {{0, 64, info.alpha == TextureAlpha::kOpaque ? 0u : 1u, 0, kAll}};
    case TextureFormat::kBc2:
    case TextureFormat::kBc3:
      return {{0, 64, alpha, 0, kAll}, {64, 64, 0, 0, kAll}};
    case TextureFormat::kBc4:
      return {{0, 64, 0, 0, kAll}};
    case TextureFormat::kBc4Signed:
      return {{0, 64, kSigned, kLowest, kHighest}};
    case TextureFormat::kBc5:
      return {{0, 64, 0, 0, kAll}, {64, 64, 1, 0, kAll}};
    case TextureFormat::kBc5Signed:
      return {{0, 64, kSigned, kLowest, kHighest}, {64, 64, 1 | kSigned, kLowest, kHighest}};
    case TextureFormat::kBc7:
      return {{0, 128, 0, 0, kAll}};
  }
  return {};
}

uint32_t model_of(TextureFormat format) {
  switch (format) {
    case TextureFormat::kRgba8:
      return kRgbModel;
    case TextureFormat::kBc1:
      return kBc1Model;
    case TextureFormat::kBc2:
      return kBc1Model + 1;
    case TextureFormat::kBc3:
      return kBc1Model + 2;
    case TextureFormat::kBc4:
    case TextureFormat::kBc4Signed:
      return kBc1Model + 3;
    case TextureFormat::kBc5:
    case TextureFormat::kBc5Signed:
      return kBc1Model + 4;
    case TextureFormat::kBc7:
      return kBc1Model + 6;
  }
  return 0;
}

std::string descriptor_of(const TextureInfo& info) {
  const std::vector<DescriptorSample> samples = samples_of(info);
  const auto block = uint32_t(24 + 16 * samples.size());
  const uint32_t transfer = info.is_srgb ? 2 : 1;
  const uint32_t flags = info.alpha == TextureAlpha::kPremultiplied ? kKtxPremultiplied : 0;
  const auto side = uint32_t(block_side(info.format) - 1);
  std::string bytes;
  append_number(bytes, uint32_t(4 + block));
  append_number(bytes, uint32_t(0));  // vendor Khronos, basic descriptor
  // version of the descriptor block (1.3 and later) and its size
  append_number(bytes, uint32_t(2 | block << 16));
  append_number(bytes, model_of(info.format) | uint32_t(info.primaries) << 8 | transfer << 16 | flags << 24);
  append_number(bytes, side | side << 8);
  append_number(bytes, uint32_t(block_bytes(info.format)));  // bytesPlane0
  append_number(bytes, uint32_t(0));
  for (const DescriptorSample& sample : samples) {
    append_number(bytes, sample.bit_offset | (sample.bits - 1) << 16 | sample.channel << 24);
    append_number(bytes, uint32_t(0));
    append_number(bytes, sample.lower);
    append_number(bytes, sample.upper);
  }
  return bytes;
}

uint32_t vulkan_format_of(const TextureInfo& info) {
  const bool is_opaque = info.format == TextureFormat::kBc1 && info.alpha == TextureAlpha::kOpaque;
  const auto* found = std::ranges::find_if(kVulkanFormats, [&](const VulkanFormat& each) {
    return each.format == info.format && each.is_srgb == info.is_srgb && each.is_opaque == is_opaque &&
           !each.is_bgra;
  });
  return found == std::end(kVulkanFormats) ? 0 : found->number;
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

StatusOr<std::string> zstd_of(const std::string& level, int zstd_level) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) return resource_exhausted("There is no memory to compress a texture.");
  std::string target(ZSTD_compressBound(level.size()), '\0');
  const size_t bytes =
      ZSTD_compressCCtx(context.get(), target.data(), target.size(), level.data(), level.size(), zstd_level);
  if (ZSTD_isError(bytes) != 0)
    return internal_error("zstd cannot compress a texture ({}).", ZSTD_getErrorName(bytes));
  target.resize(bytes);
  return target;
}

// Returns the levels compressed by zstd.
StatusOr<std::vector<std::string>> stored_levels(const Texture& texture, int zstd_level) {
  std::vector<std::string> stored;
  for (const std::string& level : texture.levels) {
    ASSIGN_OR_RETURN(std::string bytes, zstd_of(level, zstd_level));
    stored.push_back(std::move(bytes));
    chunk_done();
  }
  return stored;
}

}  // namespace

StatusOr<std::string> encode_ktx2(const Texture& texture, std::optional<int> zstd_level) {
  const TextureInfo& info = texture.info;
  std::vector<std::string> supercompressed;
  if (zstd_level) {
    ASSIGN_OR_RETURN(supercompressed, stored_levels(texture, *zstd_level));
  }
  const std::vector<std::string>& stored = zstd_level ? supercompressed : texture.levels;
  const std::string descriptor = descriptor_of(info);
  const size_t descriptor_at = kKtxHeaderBytes + kIndexEntryBytes * size_t(info.levels);
  const size_t key_values_at = descriptor_at + descriptor.size();
  const size_t alignment = zstd_level ? 1 : std::lcm(size_t(block_bytes(info.format)), size_t(4));
  const auto aligned = [&](size_t at) { return (at + alignment - 1) / alignment * alignment; };
  std::vector<size_t> offsets(stored.size());
  size_t end = key_values_at + texture.key_values.size();
  for (size_t level = stored.size(); level-- > 0; end = offsets[level] + stored[level].size())
    offsets[level] = aligned(end);

  std::string bytes(kIdentifier);
  bytes.reserve(end);
  const size_t keys_at = texture.key_values.empty() ? 0 : key_values_at;
  for (const uint32_t number :
       {vulkan_format_of(info), 1u, uint32_t(info.width), uint32_t(info.height), 0u,
        uint32_t(info.is_array ? info.layers : 0), uint32_t(info.faces), uint32_t(info.levels),
        zstd_level ? kZstdScheme : kNoScheme, uint32_t(descriptor_at), uint32_t(descriptor.size()),
        uint32_t(keys_at), uint32_t(texture.key_values.size())})
    append_number(bytes, number);
  append_number(bytes, uint64_t(0));  // offset of supercompression global data: none
  append_number(bytes, uint64_t(0));
  for (size_t level = 0; level < stored.size(); level++)
    for (const size_t number : {offsets[level], stored[level].size(), texture.levels[level].size()})
      append_number(bytes, uint64_t(number));
  bytes += descriptor;
  bytes += texture.key_values;
  for (size_t level = stored.size(); level-- > 0;) {
    bytes.resize(offsets[level], '\0');
    bytes += stored[level];
    chunk_done();
  }
  return bytes;
}

}  // namespace weft::media
