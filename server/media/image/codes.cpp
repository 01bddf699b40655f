// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/codes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "server/media/image/image_formats.h"

namespace weft::media {

namespace {

// lower bits of a float that are dropped; 11 bits of the mantissa remain
constexpr int kIndexShift = 12;
constexpr uint32_t kOne = 0x3f800000;

// Returns the least float that to_code() converts to `code`, or to a greater code if none is
// converted to `code`.
float least_of(const Transfer& transfer, int depth, uint16_t code) {
  const double largest = double((1 << depth) - 1);
  float least = float(transfer.to_linear((code - 0.5) / largest));
  while (to_code(transfer, depth, least) >= code) least = std::nextafter(least, 0.0f);
  while (to_code(transfer, depth, least) < code) least = std::nextafter(least, 2.0f);
  return least;
}

}  // namespace

void complete_row(const CodeLayout& layout, int width, float* rgba) {
  for (float *pixel = rgba, *end = rgba + ptrdiff_t(width) * 4; pixel != end; pixel += 4) {
    if (layout.is_gray) pixel[1] = pixel[2] = pixel[0];
    if (!layout.has_alpha) pixel[3] = 1;
    if (!layout.has_alpha || layout.is_alpha_associated) continue;
    for (int c = 0; c < 3; c++) pixel[c] *= pixel[3];
  }
}

float stored_colour(const CodeLayout& layout, const float* rgba, int component) {
  const float colour = layout.is_gray ? luminance(rgba[0], rgba[1], rgba[2]) : rgba[component];
  if (!layout.has_alpha || layout.is_alpha_associated) return colour;
  return rgba[3] > 0 ? colour / rgba[3] : 0.0f;
}

CodeReader::CodeReader(const CodeLayout& layout, const Transfer& transfer)
    : layout_(layout),
      colour_(linear_table(transfer, layout.depth)),
      alpha_(linear_table(kLinearTransfer, layout.depth)) {}

template <class Code>
void CodeReader::read_row(const Code* codes, int width, float* rgba) const {
  const int colours = layout_.colours(), components = layout_.components();
  for (int x = 0; x < width; x++)
    for (int c = 0; c < components; c++) {
      const size_t code = codes[x * components + c];
      rgba[x * 4 + (c < colours ? c : 3)] = (c < colours ? colour_ : alpha_)[code];
    }
  complete_row(layout_, width, rgba);
}
template void CodeReader::read_row(const uint8_t*, int, float*) const;
template void CodeReader::read_row(const uint16_t*, int, float*) const;

CodeWriter::CodeWriter(const CodeLayout& layout, const Transfer& transfer, int64_t pixels)
    : layout_(layout), transfer_(transfer) {
  const size_t codes = size_t{1} << layout.depth;
  if (pixels < int64_t(codes)) return;  // making the tables would take longer
  least_.push_back(0);
  for (size_t code = 1; code < codes; code++)
    least_.push_back(least_of(transfer, layout.depth, uint16_t(code)));
  size_t code = 0;
  for (uint32_t bits = 0; bits <= kOne; bits += 1u << kIndexShift) {
    while (code + 1 < codes && least_[code + 1] <= std::bit_cast<float>(bits)) code++;
    begins_.push_back(uint16_t(code));
  }
}

uint16_t CodeWriter::code(float linear) const {
  if (least_.empty()) return to_code(transfer_, layout_.depth, linear);
  if (!(linear > 0)) return 0;
  if (linear >= 1) return uint16_t(least_.size() - 1);
  const size_t index = std::bit_cast<uint32_t>(linear) >> kIndexShift;
  const auto begin = least_.begin() + begins_[index];
  const auto end = least_.begin() + begins_[index + 1] + 1;
  return uint16_t(std::upper_bound(begin, end, linear) - least_.begin() - 1);
}

template <class Code>
void CodeWriter::write_row(const float* rgba, int width, Code* codes) const {
  const int colours = layout_.colours();
  for (int x = 0; x < width; x++, rgba += 4) {
    for (int c = 0; c < colours; c++) *codes++ = Code(code(stored_colour(layout_, rgba, c)));
    if (layout_.has_alpha) *codes++ = Code(to_code(kLinearTransfer, layout_.depth, rgba[3]));
  }
}
template void CodeWriter::write_row(const float*, int, uint8_t*) const;
template void CodeWriter::write_row(const float*, int, uint16_t*) const;

}  // namespace weft::media
