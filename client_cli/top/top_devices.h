// SPDX-License-Identifier: Apache-2.0
// Draws the devices of `weft top`.
#pragma once

#include <string>
#include <vector>

#include "client_cli/top/top_view.h"

namespace weft::cli {

// Returns a block of lines for each device with its streams, at most `rows` lines. Blocks are
// shortened if they do not fit.
std::vector<TableRow> device_lines(const TopState& state, const TopChoices& choices, size_t columns,
                                   size_t rows);

// Returns the bar of a device's time, `width` columns wide. Each class has its own character, in
// proportion to its share of the interval.
TableRow time_bar(const v1::DeviceSample& sample, size_t width);

}  // namespace weft::cli
