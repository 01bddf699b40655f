// SPDX-License-Identifier: Apache-2.0
// The samples of a TIFF, of every kind of number, as linear light. Only image_tiff*.cpp includes this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/media/image/codes.h"
#include "server/media/image/transfer.h"

namespace weft::media {

// Of a row's samples every `stride`th, from `first` on.
struct SampleRun {
  int first = 0;
  int stride = 1;
  int count = 0;
};

// Unsigned integers are codes of sRGB. Signed ones are the same on both sides of 0, their largest is 1. Floats are light.
class TiffSamples {
 public:
  int bits = 8;
  bool is_float = false;
  bool is_signed = false;
  bool is_inverted = false;  // 0 is white

  bool is_known() const;
  void prepare(const Transfer& transfer);
  // `entries`: red, green and blue of each index, of 16 bits. The bits a colour really has: 8 or 16.
  int prepare_palette(const std::array<const uint16_t*, 3>& entries);

  // Every fourth of `target` is written; of a palette three of four.
  void read(const std::byte* row, const SampleRun& run, float* target) const;
  void read_alpha(const std::byte* row, const SampleRun& run, float* target) const;
  void read_palette(const std::byte* row, const SampleRun& run, float* rgba) const;

 private:
  uint32_t code(const std::byte* row, size_t index) const;
  double integer(uint32_t code) const;  // -1 or 0 to 1
  float light(const std::byte* row, size_t index) const;

  Transfer transfer_{};
  std::vector<float> colour_{};  // of each code of up to 16 bits
  std::vector<float> alpha_{};
  std::array<std::vector<float>, 3> palette_{};
};

// Of logarithmic TIFFs: XYZ to the primaries of BT.709 with white at equal energy, where such files have it.
void xyz_to_rgb(int width, float* rgba);

}  // namespace weft::media
