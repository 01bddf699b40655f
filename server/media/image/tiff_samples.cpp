// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/tiff_samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <Imath/half.h>

namespace weft::media {

namespace {

constexpr int kMostTableBits = 16;
constexpr uint16_t kWidened = 257;  // converts 8 bits to 16

template <class T>
T number_of(const std::byte* row, size_t index) {
  T number;
  std::memcpy(&number, row + index * sizeof(T), sizeof(T));
  return number;
}

// Converts a float of 24 bits: a sign, 7 bits of exponent (bias 63) and 16 of mantissa (Adobe
// Photoshop TIFF Technical Note 3).
float float_of_24_bits(uint32_t code) {
  const int exponent = int(code >> 16 & 0x7f);
  const auto mantissa = float(code & 0xffff);
  float value = 0;
  if (exponent == 0x7f)
    value = mantissa == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(mantissa, -62 - 16);
  else
    value = std::ldexp(mantissa + 0x1p16f, exponent - 63 - 16);
  return (code & 0x800000) != 0 ? -value : value;
}

float narrowed(double value) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return std::isfinite(value) ? float(std::clamp(value, -kLargest, kLargest)) : float(value);
}

double signed_light(const Transfer& transfer, double value) {
  return value < 0 ? -transfer.to_linear(-value) : transfer.to_linear(value);
}

}  // namespace

bool TiffSamples::is_known() const {
  if (is_float) return bits == 16 || bits == 24 || bits == 32 || bits == 64;
  const bool is_bytes = bits == 8 || bits == 16 || bits == 24 || bits == 32;
  return is_bytes || (!is_signed && bits >= 1 && bits <= 16);
}

void TiffSamples::prepare(const Transfer& transfer) {
  transfer_ = transfer;
  if (is_float || bits > kMostTableBits) return;
  for (uint32_t pattern = 0; pattern < uint32_t{1} << bits; pattern++) {
    const uint32_t turned = is_inverted ? ~pattern & ((uint32_t{1} << bits) - 1) : pattern;
    colour_.push_back(float(signed_light(transfer, integer(turned))));
    alpha_.push_back(float(integer(pattern)));
  }
}

int TiffSamples::prepare_palette(const std::array<const uint16_t*, 3>& entries) {
  prepare(Transfer{});
  const size_t count = size_t{1} << bits;
  const auto all = [&](auto is_so) {
    return std::ranges::all_of(
        entries, [&](const uint16_t* colour) { return std::all_of(colour, colour + count, is_so); });
  };
  // Some programs store palette entries of 8 bits in the low byte.
  const bool is_narrow = all([](uint16_t entry) { return entry < 256; });
  for (size_t c = 0; c < 3; c++)
    for (size_t i = 0; i < count; i++) {
      const int entry = is_narrow ? entries[c][i] * kWidened : entries[c][i];
      palette_[c].push_back(float(Transfer{}.to_linear(entry / 65535.0)));
    }
  return is_narrow || all([](uint16_t entry) { return entry % kWidened == 0; }) ? 8 : 16;
}

uint32_t TiffSamples::code(const std::byte* row, size_t index) const {
  switch (bits) {
    case 8:
      return number_of<uint8_t>(row, index);
    case 16:
      return number_of<uint16_t>(row, index);
    case 24:  // little-endian, like this machine
      return number_of<uint16_t>(row + index * 3, 0) | uint32_t(number_of<uint8_t>(row + index * 3, 2)) << 16;
    case 32:
      return number_of<uint32_t>(row, index);
    default:
      break;
  }
  uint32_t value = 0;  // packed samples, highest bit first
  for (size_t bit = index * size_t(bits), end = bit + size_t(bits); bit < end; bit++)
    value = value << 1 | (uint32_t(row[bit / 8]) >> (7 - bit % 8) & 1);
  return value;
}

double TiffSamples::integer(uint32_t code) const {
  const double largest = double((uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1);
  if (!is_signed) return code / largest;
  const int unused = 32 - bits;
  return (int32_t(code << unused) >> unused) / largest;
}

float TiffSamples::light(const std::byte* row, size_t index) const {
  float value = 0;
  if (!is_float) {
    const uint32_t pattern = code(row, index);
    const uint32_t mask = bits == 32 ? ~uint32_t{0} : (uint32_t{1} << bits) - 1;
    return float(signed_light(transfer_, integer(is_inverted ? ~pattern & mask : pattern)));
  }
  if (bits == 16) value = imath_half_to_float(number_of<uint16_t>(row, index));
  if (bits == 24) value = float_of_24_bits(code(row, index));
  if (bits == 32) value = number_of<float>(row, index);
  if (bits == 64) value = narrowed(number_of<double>(row, index));
  return is_inverted ? 1 - value : value;
}

void TiffSamples::read(const std::byte* row, const SampleRun& run, float* target) const {
  for (int x = 0; x < run.count; x++) {
    const auto index = size_t(run.first + x * run.stride);
    target[x * 4] = colour_.empty() ? light(row, index) : colour_[code(row, index)];
  }
}

void TiffSamples::read_alpha(const std::byte* row, const SampleRun& run, float* target) const {
  for (int x = 0; x < run.count; x++) {
    const auto index = size_t(run.first + x * run.stride);
    if (!alpha_.empty())
      target[x * 4] = alpha_[code(row, index)];
    else if (is_float)
      target[x * 4] = is_inverted ? 1 - light(row, index) : light(row, index);
    else
      target[x * 4] = float(integer(code(row, index)));
  }
}

void TiffSamples::read_palette(const std::byte* row, const SampleRun& run, float* rgba) const {
  for (int x = 0; x < run.count; x++) {
    const uint32_t index = code(row, size_t(run.first + x * run.stride));
    for (size_t c = 0; c < 3; c++) rgba[size_t(x) * 4 + c] = palette_[c][index];
  }
}

void xyz_to_rgb(int width, float* rgba) {
  for (float* pixel = rgba; pixel != rgba + ptrdiff_t(width) * 4; pixel += 4) {
    const double x = pixel[0], y = pixel[1], z = pixel[2];
    pixel[0] = float(2.689655172 * x - 1.275862069 * y - 0.413793103 * z);
    pixel[1] = float(-1.022108172 * x + 1.978286617 * y + 0.043821555 * z);
    pixel[2] = float(0.06122449 * x - 0.224489796 * y + 1.163265306 * z);
  }
}

}  // namespace weft::media
