// SPDX-License-Identifier: Apache-2.0
// An image that options speak of.
#pragma once

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

}  // namespace weft::filters
