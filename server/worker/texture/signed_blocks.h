// SPDX-License-Identifier: Apache-2.0
// Signed BC4 and BC5 blocks, made of unsigned ones: an encoder for both needs to know one kind only.
#pragma once

#include <cstddef>
#include <span>

namespace weft::worker {

// In place: blocks whose values are from 0 to 1 become those from -1 to 1 that have the same texels, to half a code. Of BC5 both halves are such
// blocks. Formats: Khronos Data Format 1.4, "RGTC".
void to_signed_blocks(std::span<std::byte> blocks);

}  // namespace weft::worker
