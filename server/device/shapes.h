// SPDX-License-Identifier: Apache-2.0
// Shapes of blocks: which of them a kernel may have, and how they are written. A kernel that declares "// tune: BLOCK" gives the same
// with each (kernels/README.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/device/device.h"

namespace weft::device {

// The declared shape first, then x of 32, 64, 128, 256 with each power of two as y, as long as a block has 32 lanes up to those declared
// and no more than the device takes. Of a kernel that is not tunable: the declared one.
std::vector<BlockShape> shapes_of(const kernels::KernelImage& image, const DeviceInfo& info);

// The base-2 logarithm of the grid's lanes, rounded down.
int size_class_of(Grid grid);
// A class without an entry has the shape of the nearest one that is at most so far away, of two the smaller: four times the lanes, or a
// quarter.
inline constexpr int kMostClassDistance = 2;

std::string to_string(BlockShape shape);  // "64x4"
std::optional<BlockShape> read_shape(std::string_view text);

}  // namespace weft::device
