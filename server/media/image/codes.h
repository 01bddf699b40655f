// SPDX-License-Identifier: Apache-2.0
// Between rows of codes of 8 and 16 bits, as PNG, JPEG and TIFF store them, and rows of RGBA in linear light. Not for other folders.
#pragma once

#include <cstdint>
#include <vector>

#include "server/media/image/image.h"
#include "server/media/image/transfer.h"

namespace weft::media {

// A pixel's codes lie beside each other: gray or red, green and blue; then alpha, if there.
struct CodeLayout {
  bool is_gray = false;
  bool has_alpha = false;
  bool is_alpha_associated = false;  // the codes are of colours that are multiplied with alpha
  int depth = 8;

  int colours() const { return is_gray ? 1 : 3; }
  int components() const { return colours() + (has_alpha ? 1 : 0); }
};

// Completes pixels whose stored components are in place: gray goes to all three colours, alpha is 1 where there is none, and
// colours are multiplied with it unless they are.
void complete_row(const CodeLayout& layout, int width, float* rgba);

class CodeReader {
 public:
  CodeReader(const CodeLayout& layout, const Transfer& transfer);
  // `Code` is uint8_t or uint16_t.
  template <class Code>
  void read_row(const Code* codes, int width, float* rgba) const;

 private:
  CodeLayout layout_;
  std::vector<float> colour_;
  std::vector<float> alpha_;
};

// The nearest codes, as to_code() gives them, but for large pictures from tables instead of powers.
class CodeWriter {
 public:
  CodeWriter(const CodeLayout& layout, const Transfer& transfer, int64_t pixels);
  template <class Code>
  void write_row(const float* rgba, int width, Code* codes) const;

 private:
  uint16_t code(float linear) const;

  CodeLayout layout_;
  Transfer transfer_;
  std::vector<float> least_{};      // by code: the least light that has it
  std::vector<uint16_t> begins_{};  // by a float's upper bits: the code of the least float with them
};

// The colour `component` of a pixel as it is stored: gray is luminance, and alpha is taken out of it unless it stays in.
float stored_colour(const CodeLayout& layout, const float* rgba, int component);

}  // namespace weft::media
