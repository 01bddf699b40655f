// SPDX-License-Identifier: Apache-2.0
// Shares code between reading and writing KTX 2.0 files. Only texture_ktx2*.cpp include this file.
#pragma once

#include "server/media/texture/texture_formats.h"

namespace weft::media {

inline constexpr std::string_view kIdentifier = "\xabKTX 20\xbb\r\n\x1a\n";
inline constexpr size_t kKtxHeaderBytes = 80;
inline constexpr size_t kIndexEntryBytes = 24;
inline constexpr uint32_t kNoScheme = 0, kBasisScheme = 1, kZstdScheme = 2;
inline constexpr uint8_t kKtxPremultiplied = 1;  // a flag of the data format descriptor

struct VulkanFormat {
  uint32_t number;
  TextureFormat format;
  bool is_srgb = false;
  bool is_bgra = false;
  bool is_opaque = false;
};
inline constexpr VulkanFormat kVulkanFormats[] = {
    {37, TextureFormat::kRgba8},
    {43, TextureFormat::kRgba8, true},
    {44, TextureFormat::kRgba8, false, true},
    {50, TextureFormat::kRgba8, true, true},
    {131, TextureFormat::kBc1, false, false, true},
    {132, TextureFormat::kBc1, true, false, true},
    {133, TextureFormat::kBc1},
    {134, TextureFormat::kBc1, true},
    {135, TextureFormat::kBc2},
    {136, TextureFormat::kBc2, true},
    {137, TextureFormat::kBc3},
    {138, TextureFormat::kBc3, true},
    {139, TextureFormat::kBc4},
    {140, TextureFormat::kBc4Signed},
    {141, TextureFormat::kBc5},
    {142, TextureFormat::kBc5Signed},
    {145, TextureFormat::kBc7},
    {146, TextureFormat::kBc7, true},
};

}  // namespace weft::media
