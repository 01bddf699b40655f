// SPDX-License-Identifier: Apache-2.0
// Parses numbers with a unit: "1GiB", "5m", "1h30m", "8M". Thread-safe.
#pragma once

#include <optional>
#include <string_view>

namespace weft::options {

// Returns the value of `text` in `unit` ("bytes", "s", "ms" or "kbit/s"): "1GiB" is 1073741824
// bytes, "1h30m" 5400 s, "8M" 8000 kbit/s. Returns nullopt if `text` has no suffix of that unit; so
// a plain number gives nullopt.
std::optional<double> quantity_in(std::string_view unit, std::string_view text);

}  // namespace weft::options
