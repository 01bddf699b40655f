// SPDX-License-Identifier: Apache-2.0
// Reads the part of a SPIR-V module that a driver uses to launch a kernel: its Params and the size
// of its block.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/lang/registry.h"

namespace weft::kernels {

struct SpirvKernel {
  std::vector<Field> params;  // members of the struct that is the only member of the push constants
  std::array<uint32_t, 3> block = {0, 0, 0};
};

// Returns nothing if the module has no push constants of that form.
std::optional<SpirvKernel> parse_spirv(std::span<const std::byte> bytes);

}  // namespace weft::kernels
