// SPDX-License-Identifier: Apache-2.0
// For the tests of images: TIFF files of every kind, written by libtiff from samples that a test chooses, and what it reads of a file.
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
  bool apart = false;       // planes
  int tile_side = 0;        // 0: strips of 5 lines
  const char* mode = "wl";  // little-endian; "wb" big; "wl8" BigTIFF
  int pages = 1;
  std::vector<uint16_t> extra{};      // kinds of the extra samples
  std::vector<uint16_t> palette{};    // all reds, all greens, all blues
  std::function<void(TIFF*)> more{};  // tags
  // Whole numbers, or floats where the format is.
  std::function<double(int x, int y, int component)> sample = [](int x, int y, int c) {
    return double(x * 9 + y * 3 + c * 40);
  };
};
std::string make_tiff(const TiffRecipe& recipe);

// The value of a tag of 16 bits, and of one of text or bytes ("" where it is not there).
int number_of_tiff(const std::string& bytes, uint32_t tag);
std::string bytes_of_tiff(const std::string& bytes, uint32_t tag);
// The samples of the first page as they are stored, where it has strips: row after row.
std::string samples_of_tiff(const std::string& bytes);

}  // namespace weft::media
