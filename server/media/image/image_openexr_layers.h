// SPDX-License-Identifier: Apache-2.0
// Finds the channels of an OpenEXR file that hold the colours. Other folders must not include this
// file.
#pragma once

#include <string>
#include <vector>

#include <OpenEXR/ImfMultiPartInputFile.h>

#include "server/media/image/image.h"

namespace weft::media {

// Describes the channels of the chosen layer that hold colours and alpha.
struct ColourChannels {
  int part = 0;
  std::string part_name{};
  std::string layer{};               // "beauty" for the channel beauty.R
  std::vector<std::string> names{};  // R, G, B, or Y, RY, BY, or Y; then A, if present
  bool is_gray = false;
  bool is_chroma = false;  // Y, RY, BY: luminance and differences of red and blue from it
  bool has_alpha = false;

  std::string label() const {
    if (part_name.empty()) return layer;
    return layer.empty() ? part_name : part_name + "." + layer;
  }
  // Returns the index in a pixel's RGBA of the channel `index`.
  size_t component(size_t index) const { return is_gray && index == 1 ? 3 : index; }
};

// Returns a name from a file without unprintable characters, for a message.
std::string printable(std::string name);

// Chooses a layer by the rules of ImageReading. INVALID_ARGUMENT with the names of the layers, or
// with the defect of the chosen layer.
StatusOr<ColourChannels> find_layer(const Imf::MultiPartInputFile& file, const ImageReading& reading,
                                    std::string_view name);

}  // namespace weft::media
