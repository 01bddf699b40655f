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
  std::string layer{};               // "beauty" of beauty.R
  std::vector<std::string> names{};  // R, G, B or Y; then A, if there
  bool is_gray = false;
  bool has_alpha = false;

  std::string label() const {
    if (part_name.empty()) return layer;
    return layer.empty() ? part_name : part_name + "." + layer;
  }
  // Which of the four samples of a pixel a channel is.
  size_t component(size_t index) const { return is_gray && index == 1 ? 3 : index; }
};

// By the rules of ImageReading. INVALID_ARGUMENT naming the layers there are, or what the chosen one is not.
StatusOr<ColourChannels> find_layer(const Imf::MultiPartInputFile& file, const ImageReading& reading,
                                    std::string_view name);

}  // namespace weft::media
