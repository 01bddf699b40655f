// SPDX-License-Identifier: Apache-2.0
// Which channels of an OpenEXR file are the colours to work on. Not for other folders.
#pragma once

#include <string>
#include <vector>

#include <OpenEXR/ImfMultiPartInputFile.h>

#include "server/media/image/image.h"

namespace weft::media {

// The channels of a layer that are worked on.
struct ColourChannels {
  int part = 0;
  std::string part_name{};
  std::string layer{};  // "beauty" of beauty.R
  std::vector<std::string>
      names{};  // of R, G, B, or of Y, RY, BY, or of Y, as they are in the file; then of A, if there
  bool is_gray = false;
  bool is_chroma = false;  // Y, RY, BY: luminance and what red and blue have more of than it
  bool has_alpha = false;

  std::string label() const {
    if (part_name.empty()) return layer;
    return layer.empty() ? part_name : part_name + "." + layer;
  }
  // Which of the four samples of a pixel a channel is.
  size_t component(size_t index) const { return is_gray && index == 1 ? 3 : index; }
};

// A name out of a file, for a message.
std::string printable(std::string name);

// By the rules of ImageReading. INVALID_ARGUMENT naming the layers there are, or what the chosen one is not.
StatusOr<ColourChannels> find_layer(const Imf::MultiPartInputFile& file, const ImageReading& reading,
                                    std::string_view name);

}  // namespace weft::media
