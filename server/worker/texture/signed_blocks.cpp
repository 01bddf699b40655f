// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/signed_blocks.h"

#include <algorithm>
#include <cstdint>

namespace weft::worker {
namespace {

constexpr size_t kHalfBytes = 8;  // two endpoints, and 16 codes of 3 bits

// Returns the value from -127 to 127 nearest to an endpoint from 0 to 255.
int signed_end(int end) { return (end * 254 + 127) / 255 - 127; }

}  // namespace

void to_signed_blocks(std::span<std::byte> blocks) {
  for (size_t at = 0; at + kHalfBytes <= blocks.size(); at += kHalfBytes) {
    const std::span<std::byte> block = blocks.subspan(at, kHalfBytes);
    const int first = int(block[0]), second = int(block[1]);
    const int new_first = signed_end(first), new_second = signed_end(second);
    block[0] = std::byte(uint8_t(int8_t(new_first)));
    block[1] = std::byte(uint8_t(int8_t(new_second)));
    // Equal endpoints select the other mode of a block; its last two codes mean -1 and 1. All
    // texels lie between the endpoints, so code 0, the first endpoint, is correct for each.
    if (first > second && new_first == new_second) std::fill(block.begin() + 2, block.end(), std::byte{0});
  }
}

}  // namespace weft::worker
