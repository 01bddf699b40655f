// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of images: small OpenEXR files written by the OpenEXR library, and the
// library's reading of a file.
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
  int compression = 3;         // value of Imf::Compression: ZIP
  int line_order = 0;          // value of Imf::LineOrder: increasing
  int tile_side = 0;           // 0: scan lines
  bool levels = false;         // with mip levels (tiles only)
  bool is_subsampled = false;  // only the first channel is subsampled, 2x2
  float dwa_level = 0;         // DWA compression level in the header; 0: none
};
// Returns a file with random samples, special values among them, and attributes of several types.
// One attribute has a type that no library supports.
std::string make_exr(const ExrRecipe& recipe);
// Returns a file with the parts "left" (from `recipe`), "deep" (deep scan lines) and "right"
// (tiles).
std::string make_multi_part_exr(const ExrRecipe& recipe);
// Damages the data of all parts but the first.
std::string damage_other_part(const std::string& multi_part);

// Returns the samples of every channel of a part as bytes, by the channel's name.
std::map<std::string, std::string> exr_channels(const std::string& bytes, int part = 0);
// Returns the compressed chunks of a deep part.
std::vector<std::string> deep_chunks(const std::string& bytes, int part);
// Returns the output of the exrheader program, without the file's name.
std::string exr_header(const std::string& bytes);

// Read and write a file of any format. An error ends the test.
Image read_any(const std::string& bytes);
std::string encode_as(ImageFormat format, const Image& image, std::optional<SampleType> depth = {});

// Reads a file. An error ends the test.
Image read_exr(const std::string& bytes, const std::string& layer = "");

}  // namespace weft::media
