// SPDX-License-Identifier: Apache-2.0
// For the tests of images: small OpenEXR files written by its library, and what the library reads of a file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/media/image/image_file.h"

namespace weft::media {

struct ExrRecipe {
  std::vector<std::string> half_channels = {"B", "G", "R"};
  std::vector<std::string> float_channels{};
  std::vector<std::string> uint_channels{};
  ImageWindow data{0, 0, 37, 29};
  ImageWindow display{0, 0, 37, 29};
  int compression = 3;         // as Imf::Compression counts: ZIP
  int line_order = 0;          // increasing
  int tile_side = 0;           // 0: scan lines
  bool levels = false;         // smaller copies (tiles only)
  bool is_subsampled = false;  // the first channel only, 2x2
  float dwa_level = 0;         // of the file's header; 0: none there
};
// Random samples, special values among them; attributes of several types, one of a type that no library knows.
std::string make_exr(const ExrRecipe& recipe);
// Parts "left" (the recipe's), "deep" (deep scan lines) and "right" (tiles).
std::string make_multi_part_exr(const ExrRecipe& recipe);
// That with the first part's samples whole, and damage in what is kept of the others.
std::string damage_other_part(const std::string& multi_part);

// Every channel's samples of a part, as bytes, by the channel's name.
std::map<std::string, std::string> exr_channels(const std::string& bytes, int part = 0);
// The compressed chunks of a deep part.
std::vector<std::string> deep_chunks(const std::string& bytes, int part);
// What the exrheader program says, save the file's name.
std::string exr_header(const std::string& bytes);

// Read, or written as a file of that format, of any format; both end the test when that fails.
Image read_any(const std::string& bytes);
std::string encode_as(ImageFormat format, const Image& image, std::optional<SampleType> depth = {});

// Reads and ends the test when that fails.
Image read_exr(const std::string& bytes, const std::string& layer = "");

}  // namespace weft::media
