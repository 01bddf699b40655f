// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of images: PNG files of every kind, written by libpng from code values that
// a test chooses, and single chunks.
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
  // PNG colour type: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha
  int colour_type = 2;
  bool interlaced = false;
  std::vector<uint8_t> palette{};       // red, green and blue of each entry
  std::vector<uint8_t> transparency{};  // alpha of the first entries
  std::function<int(int x, int y, int component)> code = [](int x, int y, int c) {
    return x * 20 + y * 3 + c * 50;
  };
};
std::string make_png(const PngRecipe& recipe);

// Returns a chunk with its length and checksum.
std::string chunk(const std::string& type, const std::string& data);
// Returns the PNG without its own optional chunks. `chunks` are inserted after its header.
std::string with_chunks(const std::string& png, const std::string& chunks);
// Returns a zlib stream of `begin` and `megabytes` megabytes of zeros.
std::string zeros(const std::string& begin, int megabytes);
// Returns an ICC profile of `bytes` bytes with the mandatory fields. `space` is "RGB " or "GRAY".
std::string make_profile(size_t bytes, const std::string& space = "RGB ");
// Returns EXIF data with an orientation as its only entry.
std::string make_exif(int orientation, bool is_big_endian);

}  // namespace weft::media
