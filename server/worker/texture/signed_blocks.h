// SPDX-License-Identifier: Apache-2.0
// Converts unsigned BC4 and BC5 blocks to signed ones, so that one encoder serves both.
#pragma once

#include <cstddef>
#include <span>

namespace weft::worker {

// Converts blocks in place: blocks with values from 0 to 1 become blocks with values from -1 to 1
// and the same texels, to half a code. Both halves of a BC5 block are such blocks. Formats: Khronos
// Data Format 1.4, "RGTC".
void to_signed_blocks(std::span<std::byte> blocks);

}  // namespace weft::worker
