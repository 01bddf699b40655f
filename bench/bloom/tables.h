// SPDX-License-Identifier: Apache-2.0
// Prints tables of bloom_bench that compare variants of Weft: strategies of a transform, and
// lengths.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::bench {

// Prints a table. `name` is strategies or lengths. `bytes_per_us` is the copy rate of the fastest
// device. `longest` bounds the measured lengths. Each method is checked before it is timed.
// INVALID_ARGUMENT: another name.
Status print_table(const std::string& name, const std::vector<std::unique_ptr<device::Device>>& devices,
                   double bytes_per_us, int longest);

}  // namespace weft::bench
