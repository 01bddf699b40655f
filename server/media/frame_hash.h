// SPDX-License-Identifier: Apache-2.0
// Hashes bytes and pictures to 64 bits (XXH64, by its published specification). The hash detects
// changes; it is no protection against an adversary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/video_format.h"

namespace weft::media {

// Points to planes of samples in memory. Rows may be padded: stride_bytes is the distance of two
// rows.
struct PictureView {
  VideoFormat format{};
  std::array<const uint8_t*, 3> plane{};
  std::array<ptrdiff_t, 3> stride_bytes{};
};

// Hashes bytes that are added in pieces. The result does not depend on the sizes of the pieces.
class Hasher {
 public:
  explicit Hasher(uint64_t seed = 0);
  void add(std::span<const uint8_t> bytes);
  void add_integer(uint64_t value);  // adds 8 bytes, little-endian
  uint64_t value() const;            // hash of all data added until now

 private:
  void consume(const uint8_t* block);

  uint64_t lanes_[4];
  uint64_t seed_ = 0;
  uint64_t total_ = 0;
  uint8_t tail_[32] = {};
  size_t tail_bytes_ = 0;
};

uint64_t hash_bytes(std::span<const uint8_t> bytes);
// Returns a hash of the format and of every sample. Padding has no effect.
uint64_t hash_picture(const PictureView& picture);

}  // namespace weft::media
