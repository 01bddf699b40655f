// SPDX-License-Identifier: Apache-2.0
// An image's codes of 8 bits, for who takes an image file for a texture.
#pragma once

#include <string>
#include <vector>

#include "server/media/file.h"
#include "server/media/image/image.h"

namespace weft::media {

// What else a file says of its codes.
struct CodeFacts {
  int width = 0, height = 0;  // as the picture is to be shown
  bool has_alpha = false;
  bool is_premultiplied = false;  // colours are multiplied with alpha
  bool is_linear = false;         // the file states that codes are proportional to light
  // Its primaries, where they are known ones; kOther: it states others.
  enum class Primaries {
    kNotSaid,
    kBt709,
    kBt2020,
    kDisplayP3,
    kAdobeRgb,
    kOther
  } primaries = Primaries::kNotSaid;
  std::vector<std::string> notes{};  // what codes alone do not say, as sentences
};
CodeFacts code_facts_of(const ImageFacts& facts);

// Red, green, blue and alpha of each pixel, rows without gaps. Alpha is apart from colour, which it does not touch.
struct ImageCodes {
  CodeFacts facts{};
  std::string rgba{};
};

// Whether an image has codes, of 8 bits or more: a file of floats has none. INVALID_ARGUMENT with what to do.
Status check_has_codes(const ImageFacts& facts, std::string_view name);

// PNG, JPEG and TIFF: the codes of a file of 8 bits as they are in it, of others the nearest ones. The picture is turned as it is to be shown. Errors
// are read_image's, and the one above.
StatusOr<ImageCodes> read_image_codes(const InputFile& file);

}  // namespace weft::media
