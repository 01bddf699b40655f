// SPDX-License-Identifier: Apache-2.0
// What a TGA file of version 2.0 says behind its picture: its extension area, and its developer's.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"

namespace weft::media {

struct TgaExtension {
  enum class Alpha { kNotSaid, kNone, kStraight, kPremultiplied } alpha = Alpha::kNotSaid;
  std::vector<std::string> others{};  // "the author's name"
};

// Empty where the file has none, or where it lies outside the file.
StatusOr<TgaExtension> read_tga_extension(const InputFile& file);

}  // namespace weft::media
