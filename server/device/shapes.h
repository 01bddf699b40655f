// SPDX-License-Identifier: Apache-2.0
// Lists, reads and writes the shapes of blocks. A kernel that declares "// tune: BLOCK" returns the
// same result with each shape (kernels/README.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/device/device.h"

namespace weft::device {

// Returns the shapes that a kernel may have: first the declared shape, then x of 32, 64, 128 and
// 256 with each power of two as y, if the block has at most as many lanes as the declared one and
// the device's limit. Returns only the declared shape for a kernel that is not tunable.
std::vector<BlockShape> shapes_of(const kernels::KernelImage& image, const DeviceInfo& info);

// Returns the base-2 logarithm of the number of lanes in the grid, rounded down.
int size_class_of(Grid grid);
// Largest distance of a size class without an entry to the class that provides its shape, in steps
// of a factor of two. The nearest class is used, and the smaller one of two.
inline constexpr int kMostClassDistance = 2;

std::string to_string(BlockShape shape);  // returns a text such as "64x4"
std::optional<BlockShape> read_shape(std::string_view text);

}  // namespace weft::device
