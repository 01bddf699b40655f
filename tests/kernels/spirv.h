// SPDX-License-Identifier: Apache-2.0
// As much of SPIR-V as it takes to see what a driver will see of a kernel: its Params and its block.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/lang/registry.h"

namespace weft::kernels {

struct SpirvKernel {
  std::vector<Field> params;  // members of the struct that is the push constants' only member
  std::array<uint32_t, 3> block = {0, 0, 0};
};

// Nothing when the module has no push constants of that form.
std::optional<SpirvKernel> parse_spirv(std::span<const std::byte> bytes);

}  // namespace weft::kernels
