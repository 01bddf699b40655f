// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash (XXH64, by its published specification) of bytes and of pictures: to notice that
// something changed, not against an adversary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/video_format.h"

namespace weft::media {

// Planes of samples in memory. Rows may be padded: stride_bytes is the distance of two rows.
struct PictureView {
  VideoFormat format{};
  std::array<const uint8_t*, 3> plane{};
  std::array<ptrdiff_t, 3> stride_bytes{};
};

// Hashes bytes given piece by piece; the cuts do not matter.
class Hasher {
 public:
  explicit Hasher(uint64_t seed = 0);
  void add(std::span<const uint8_t> bytes);
  void add_integer(uint64_t value);  // as 8 bytes, little-endian
  uint64_t value() const;            // of everything added so far

 private:
  void consume(const uint8_t* block);

  uint64_t lanes_[4];
  uint64_t seed_ = 0;
  uint64_t total_ = 0;
  uint8_t tail_[32] = {};
  size_t tail_bytes_ = 0;
};

uint64_t hash_bytes(std::span<const uint8_t> bytes);
// Of the format and of every sample; the padding does not matter.
uint64_t hash_picture(const PictureView& picture);

}  // namespace weft::media
