// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of textures: facts and blocks of every kind, and headers written number by
// number.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "server/media/texture/texture.h"

namespace weft::media {

// Returns a texture with noise as the bytes of its blocks.
inline Texture noise_texture(const TextureInfo& info, unsigned seed = 1) {
  Texture texture = make_texture(info).value_or(Texture{});
  std::mt19937 random(seed);
  for (std::string& level : texture.levels)
    for (char& byte : level) byte = char(random());
  return texture;
}

inline std::string words(const std::vector<uint32_t>& numbers) {
  std::string bytes;
  for (const uint32_t number : numbers)
    for (int shift = 0; shift < 32; shift += 8) bytes += char(number >> shift);
  return bytes;
}

// Returns the file with the 4 bytes at `at` replaced by `number`.
inline std::string with_word(std::string bytes, size_t at, uint32_t number) {
  return bytes.replace(at, 4, words({number}));
}

}  // namespace weft::media
