// SPDX-License-Identifier: Apache-2.0
// For the tests of images: PNG files of every kind, written by libpng from codes that a test chooses, and chunks added by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::media {

struct PngRecipe {
  int width = 12;
  int height = 7;
  int depth = 8;
  int colour_type = 2;  // as PNG counts: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha
  bool interlaced = false;
  std::vector<uint8_t> palette{};       // red, green and blue of each entry
  std::vector<uint8_t> transparency{};  // alpha of the first entries
  std::function<int(int x, int y, int component)> code = [](int x, int y, int c) {
    return x * 20 + y * 3 + c * 50;
  };
};
std::string make_png(const PngRecipe& recipe);

// A chunk with its length and sum.
std::string chunk(const std::string& type, const std::string& data);
// The PNG without its own optional chunks and with others behind its header.
std::string with_chunks(const std::string& png, const std::string& chunks);
// A zlib stream of `megabytes` zeros behind `begin`.
std::string zeros(const std::string& begin, int megabytes);
// A profile of `bytes` bytes that says what it must of itself. `space`: "RGB " or "GRAY".
std::string make_profile(size_t bytes, const std::string& space = "RGB ");
// EXIF data that says no more than an orientation.
std::string make_exif(int orientation, bool is_big_endian);

}  // namespace weft::media
