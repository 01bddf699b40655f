// SPDX-License-Identifier: Apache-2.0
// Truevision TGA files (version 2.0 of its specification): gray of 8 bits, colours of 24 and 32, uncompressed or RLE, from any corner.
//
//   ASSIGN_OR_RETURN(const bool is, is_tga(*file));
//   ASSIGN_OR_RETURN(const TgaPicture picture, read_tga(*file));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"

namespace weft::media {

inline constexpr int64_t kMaxTgaFileBytes = int64_t{1} << 30;
inline constexpr int kMaxTgaSide = 32768;  // pixels; a texture's

struct TgaPicture {
  int width = 0;
  int height = 0;
  bool has_alpha = false;
  bool is_premultiplied = false;      // colours are multiplied with alpha
  std::vector<std::string> others{};  // what else the file says: "the author's name"
  std::string rgba{};                 // rows from the top, without gaps; alpha is 255 where there is none
};

// TGA has no mark at its beginning: whether its name ends in .tga.
bool is_tga(const InputFile& file);
// By the header alone, without texels. INVALID_ARGUMENT: palettes, other depths, another kind of file. DATA_LOSS: a header that is cut off, or
// that says more than the file can hold.
StatusOr<TgaPicture> probe_tga(const InputFile& file);
// Likewise, and DATA_LOSS where the picture ends early. RESOURCE_EXHAUSTED: no memory.
StatusOr<TgaPicture> read_tga(const InputFile& file);

}  // namespace weft::media
