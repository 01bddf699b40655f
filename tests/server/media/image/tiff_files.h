// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of images: TIFF files of every kind, written by libtiff from a test's
// samples, and libtiff's reading of a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tiffio.h>

namespace weft::media {

struct TiffRecipe {
  int width = 20;
  int height = 18;
  int bits = 8;
  int components = 3;
  int format = SAMPLEFORMAT_UINT;
  int photometric = PHOTOMETRIC_RGB;
  int compression = COMPRESSION_NONE;
  int predictor = PREDICTOR_NONE;
  bool apart = false;       // one plane per component
  int tile_side = 0;        // 0: strips of 5 lines
  const char* mode = "wl";  // "wl" little-endian, "wb" big-endian, "wl8" BigTIFF
  int pages = 1;
  std::vector<uint16_t> extra{};      // kinds of the extra samples
  std::vector<uint16_t> palette{};    // all red values, then all green, then all blue
  std::function<void(TIFF*)> more{};  // sets further tags
  // Returns a sample: an integer, or a float if the sample format is one.
  std::function<double(int x, int y, int component)> sample = [](int x, int y, int c) {
    return double(x * 9 + y * 3 + c * 40);
  };
};
std::string make_tiff(const TiffRecipe& recipe);

// Return the value of a tag of 16 bits, and of a tag of text or bytes ("" if the file has no such
// tag).
int number_of_tiff(const std::string& bytes, uint32_t tag);
std::string bytes_of_tiff(const std::string& bytes, uint32_t tag);
// Returns the stored samples of the first page, row after row. The page must have strips.
std::string samples_of_tiff(const std::string& bytes);

}  // namespace weft::media
