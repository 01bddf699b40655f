// SPDX-License-Identifier: Apache-2.0
// A PNG file as its chunks (ISO/IEC 15948): what it declares of its colours, and what an output keeps of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/image/transfer.h"

namespace weft::media {

struct PngFacts {
  int width = 0;
  int height = 0;
  int bit_depth = 0;  // as stored: 1, 2, 4, 8, 16
  Transfer transfer{};
  double pixel_aspect = 1;
  // Colour declarations, text, resolution ... whole chunks, in order, for splice_chunks().
  std::string kept{};
  std::vector<std::string> notes{};
};

// Checks every chunk's sum and that the end is there. DATA_LOSS; INVALID_ARGUMENT for a transfer curve that is not known here.
StatusOr<PngFacts> read_png_chunks(std::string_view bytes, std::string_view name);

// `png` as FFmpeg writes it, its own optional chunks replaced by `kept`.
std::string splice_chunks(std::string_view png, std::string_view kept);

}  // namespace weft::media
