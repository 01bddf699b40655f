// SPDX-License-Identifier: Apache-2.0
// Reads the data after the picture of a TGA 2.0 file: its extension area and its developer area.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"

namespace weft::media {

struct TgaExtension {
  enum class Alpha { kNotSaid, kNone, kStraight, kPremultiplied } alpha = Alpha::kNotSaid;
  std::vector<std::string> others{};  // names of other data: "the author's name"
};

// Returns an empty extension if the file has none or it lies outside the file.
StatusOr<TgaExtension> read_tga_extension(const InputFile& file);

}  // namespace weft::media
