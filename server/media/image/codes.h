// SPDX-License-Identifier: Apache-2.0
// Converts between rows of code values of 8 and 16 bits, as PNG, JPEG and TIFF store them, and rows
// of RGBA in linear light. Other folders must not include this file.
#pragma once

#include <cstdint>
#include <vector>

#include "server/media/image/image.h"
#include "server/media/image/transfer.h"

namespace weft::media {

// Describes the code values of a pixel: gray, or red, green and blue; then alpha, if present.
struct CodeLayout {
  bool is_gray = false;
  bool has_alpha = false;
  bool is_alpha_associated = false;  // colours are multiplied by alpha before encoding
  int depth = 8;

  int colours() const { return is_gray ? 1 : 3; }
  int components() const { return colours() + (has_alpha ? 1 : 0); }
};

// Completes pixels in place after their stored components are set: copies gray to all three
// colours, sets a missing alpha to 1, and premultiplies colours that are not premultiplied.
void complete_row(const CodeLayout& layout, int width, float* rgba);

class CodeReader {
 public:
  CodeReader(const CodeLayout& layout, const Transfer& transfer);
  // Converts `width` pixels to linear light. `Code` is uint8_t or uint16_t.
  template <class Code>
  void read_row(const Code* codes, int width, float* rgba) const;

 private:
  CodeLayout layout_;
  std::vector<float> colour_;
  std::vector<float> alpha_;
};

// Converts linear light to the nearest codes. The results are those of to_code(); large pictures
// use tables instead of powers.
class CodeWriter {
 public:
  CodeWriter(const CodeLayout& layout, const Transfer& transfer, int64_t pixels);
  template <class Code>
  void write_row(const float* rgba, int width, Code* codes) const;

 private:
  uint16_t code(float linear) const;

  CodeLayout layout_;
  Transfer transfer_;
  std::vector<float> least_{};  // for each code, the least linear value that it encodes
  // for each value of a float's upper bits, the code of the smallest such float
  std::vector<uint16_t> begins_{};
};

// Returns the linear value of colour `component` as a file stores it: luminance for gray, and
// divided by alpha unless alpha is associated.
float stored_colour(const CodeLayout& layout, const float* rgba, int component);

}  // namespace weft::media
