// SPDX-License-Identifier: Apache-2.0
// Reads the 8-bit code values of an image file, for use as a texture.
#pragma once

#include <string>
#include <vector>

#include "server/media/file.h"
#include "server/media/image/image.h"

namespace weft::media {

// Describes the code values of a file.
struct CodeValueInfo {
  int width = 0, height = 0;  // pixels, in the orientation for display
  bool has_alpha = false;
  bool is_premultiplied = false;  // colours are multiplied by alpha
  bool is_linear = false;         // the file states that codes are proportional to light
  // primaries of the colours; kOther: the file states primaries that are not listed here
  enum class Primaries {
    kNotSaid,
    kBt709,
    kBt2020,
    kDisplayP3,
    kAdobeRgb,
    kOther
  } primaries = Primaries::kNotSaid;
  // sentences about properties that code values do not express
  std::vector<std::string> notes{};
};
CodeValueInfo code_value_info_of(const ImageInfo& info);

// Red, green, blue and alpha of each pixel, in rows without gaps. Reading does not multiply
// the colours by alpha.
struct ImageCodes {
  CodeValueInfo info{};
  std::string rgba{};
};

// Checks that an image has integer code values. Returns INVALID_ARGUMENT with the remedy for a file
// of floats.
Status check_has_codes(const ImageInfo& info, std::string_view name);

// Reads a PNG, JPEG or TIFF as code values of 8 bits. Codes of 8 bits are returned as stored,
// others are rounded to the nearest. The pixels are turned to the orientation for display. Errors
// are those of read_image() and check_has_codes().
StatusOr<ImageCodes> read_image_codes(const InputFile& file);

}  // namespace weft::media
