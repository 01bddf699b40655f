// SPDX-License-Identifier: Apache-2.0
// Holds the contents of the files that options name: images as pixels, other files as bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weft::filters {

// Red, green and blue of each pixel, row after row, in linear light.
struct RgbPicture {
  int width = 0;
  int height = 0;
  std::vector<double> rgb{};
};
// The images by the path of the option: "filters[0].bloom.kernel".
using RgbPictures = std::map<std::string, RgbPicture, std::less<>>;

// The bytes of a file that is not an image (OptionDeclaration::raw_file), and these files by the
// path of the option.
using FileBytes = std::vector<std::byte>;
using OptionFiles = std::map<std::string, FileBytes, std::less<>>;

}  // namespace weft::filters
