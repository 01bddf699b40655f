// SPDX-License-Identifier: Apache-2.0
// Reads Truevision TGA files (version 2.0 of its specification): gray of 8 bits, colours of 24 and
// 32 bits, uncompressed or RLE, with any corner first.
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
inline constexpr int kMaxTgaSide = 32768;  // pixels; the limit of a texture

struct TgaPicture {
  int width = 0;
  int height = 0;
  bool has_alpha = false;
  bool is_premultiplied = false;      // colours are multiplied by alpha
  std::vector<std::string> others{};  // names of other data in the file: "the author's name"
  std::string rgba{};                 // rows from the top, without gaps; alpha is 255 if absent
};

// Returns true if the name ends in .tga. TGA files have no mark at their beginning.
bool is_tga(const InputFile& file);
// Reads the properties from the headers, without texels. INVALID_ARGUMENT: palettes, other depths,
// another kind of file. DATA_LOSS: a header that is cut off, or that declares more data than the
// file can hold.
StatusOr<TgaPicture> probe_tga(const InputFile& file);
// Reads the picture. Errors are those of probe_tga(), DATA_LOSS if the picture ends early, and
// RESOURCE_EXHAUSTED.
StatusOr<TgaPicture> read_tga(const InputFile& file);

}  // namespace weft::media
