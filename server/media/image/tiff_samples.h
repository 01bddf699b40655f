// SPDX-License-Identifier: Apache-2.0
// Converts the samples of a TIFF, of any number type, to linear light. Only image_tiff*.cpp
// includes this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/media/image/codes.h"
#include "server/media/image/transfer.h"

namespace weft::media {

// Selects `count` samples of a row, each `stride`th from `first` on.
struct SampleRun {
  int first = 0;
  int stride = 1;
  int count = 0;
};

// Unsigned integers are sRGB codes. Signed integers use the same curve on both sides of 0, and
// their largest value is 1. Floats are linear light.
class TiffSamples {
 public:
  int bits = 8;
  bool is_float = false;
  bool is_signed = false;
  bool is_inverted = false;  // 0 means white

  bool is_known() const;
  void prepare(const Transfer& transfer);
  // Sets the colours of a palette. `entries` has the red, green and blue of each index, in 16 bits.
  // Returns the bits that a colour effectively has: 8 or 16.
  int prepare_palette(const std::array<const uint16_t*, 3>& entries);

  // These write every fourth float of `target`; read_palette() writes three of every four.
  void read(const std::byte* row, const SampleRun& run, float* target) const;
  void read_alpha(const std::byte* row, const SampleRun& run, float* target) const;
  void read_palette(const std::byte* row, const SampleRun& run, float* rgba) const;

 private:
  uint32_t code(const std::byte* row, size_t index) const;
  double integer(uint32_t code) const;  // 0 to 1; signed integers from -1
  float light(const std::byte* row, size_t index) const;

  Transfer transfer_{};
  std::vector<float> colour_{};  // linear value of each code, for codes of up to 16 bits
  std::vector<float> alpha_{};
  std::array<std::vector<float>, 3> palette_{};
};

// Converts XYZ of logarithmic TIFFs to the primaries of BT.709, with the equal-energy white of such
// files.
void xyz_to_rgb(int width, float* rgba);

}  // namespace weft::media
