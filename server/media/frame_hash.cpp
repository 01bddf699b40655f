// SPDX-License-Identifier: Apache-2.0
#include "server/media/frame_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

// The constants and steps are those of the XXH64 section of "xxHash fast digest algorithm", version
// 0.1.1.

namespace weft::media {

namespace {

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;
constexpr size_t kBlockBytes = 32;

static_assert(std::endian::native == std::endian::little, "words are read as the specification orders them");

template <class Word>
Word load(const uint8_t* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

uint64_t round(uint64_t lane, uint64_t word) { return std::rotl(lane + word * kPrime2, 31) * kPrime1; }

uint64_t merge(uint64_t hash, uint64_t lane) { return (hash ^ round(0, lane)) * kPrime1 + kPrime4; }

}  // namespace

Hasher::Hasher(uint64_t seed)
    : lanes_{seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1}, seed_(seed) {}

void Hasher::consume(const uint8_t* block) {
  for (int lane = 0; lane < 4; lane++) lanes_[lane] = round(lanes_[lane], load<uint64_t>(block + 8 * lane));
}

void Hasher::add(std::span<const uint8_t> bytes) {
  total_ += bytes.size();
  if (tail_bytes_ > 0) {
    const size_t taken = std::min(kBlockBytes - tail_bytes_, bytes.size());
    std::copy_n(bytes.data(), taken, tail_ + tail_bytes_);
    tail_bytes_ += taken;
    bytes = bytes.subspan(taken);
    if (tail_bytes_ < kBlockBytes) return;
    consume(tail_);
    tail_bytes_ = 0;
  }
  for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes)) consume(bytes.data());
  std::copy_n(bytes.data(), bytes.size(), tail_);
  tail_bytes_ = bytes.size();
}

void Hasher::add_integer(uint64_t value) {
  uint8_t bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  add(bytes);
}

uint64_t Hasher::value() const {
  uint64_t hash = seed_ + kPrime5;
  if (total_ >= kBlockBytes) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const uint64_t lane : lanes_) hash = merge(hash, lane);
  }
  hash += total_;
  const uint8_t* next = tail_;
  const uint8_t* const end = tail_ + tail_bytes_;
  for (; end - next >= 8; next += 8)
    hash = std::rotl(hash ^ round(0, load<uint64_t>(next)), 27) * kPrime1 + kPrime4;
  if (end - next >= 4) {
    hash = std::rotl(hash ^ (load<uint32_t>(next) * kPrime1), 23) * kPrime2 + kPrime3;
    next += 4;
  }
  for (; next < end; next++) hash = std::rotl(hash ^ (*next * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

uint64_t hash_bytes(std::span<const uint8_t> bytes) {
  Hasher hasher;
  hasher.add(bytes);
  return hasher.value();
}

uint64_t hash_picture(const PictureView& picture) {
  const VideoFormat& format = picture.format;
  Hasher hasher;
  hasher.add_integer(uint64_t(format.width));
  hasher.add_integer(uint64_t(format.height));
  hasher.add_integer(uint64_t(format.chroma));
  hasher.add_integer(uint64_t(format.bit_depth));
  for (int plane = 0; plane < format.planes(); plane++) {
    const size_t row_bytes = size_t(format.plane_width(plane)) * size_t(format.sample_bytes());
    for (int row = 0; row < format.plane_height(plane); row++)
      hasher.add({picture.plane[size_t(plane)] + row * picture.stride_bytes[size_t(plane)], row_bytes});
  }
  return hasher.value();
}

}  // namespace weft::media
