// SPDX-License-Identifier: Apache-2.0
// Files that options speak of: images, and others as bytes.
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
using RgbPictures =
    std::map<std::string, RgbPicture, std::less<>>;  // by the option's path: "filters[0].bloom.kernel"

// What is in a file that is no image (OptionDeclaration::raw_file); by the option's path as well.
using FileBytes = std::vector<std::byte>;
using OptionFiles = std::map<std::string, FileBytes, std::less<>>;

}  // namespace weft::filters
