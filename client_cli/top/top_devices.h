// SPDX-License-Identifier: Apache-2.0
// The devices' part of `weft top`.
#pragma once

#include <string>
#include <vector>

#include "client_cli/top/top_view.h"

namespace weft::cli {

// A block a device, with its streams; shorter forms where `rows` are few. At most so many lines.
std::vector<TableRow> device_lines(const TopState& state, const TopChoices& choices, size_t columns,
                                   size_t rows);

// The bar of a device's time: `width` columns, a letter a class in order, as long as its part of the interval.
TableRow time_bar(const v1::DeviceSample& sample, size_t width);

}  // namespace weft::cli
