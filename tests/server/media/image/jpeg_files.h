// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of images: JPEG files written by libjpeg-turbo from code values that a test
// chooses.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft::media {

struct JpegRecipe {
  int width = 24;
  int height = 17;
  int components = 3;  // 1 gray, 3 RGB, 4 CMYK
  bool progressive = false;
  std::vector<std::pair<int, std::string>> markers{};  // number and content of the APP markers
  std::string comment{};
  std::function<int(int x, int y, int component)> code = [](int x, int y, int c) {
    return 30 + x * 4 + y * 3 + c * 20;
  };
};
std::string make_jpeg(const JpegRecipe& recipe);

}  // namespace weft::media
