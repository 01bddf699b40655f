// SPDX-License-Identifier: Apache-2.0
// Tables of bloom_bench that compare ours with ours: strategies of a transform, padding, lengths.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::bench {

// `name`: strategies, padding or lengths; bytes_per_us: what the fastest device copies; longest: of the lengths measured.
// INVALID_ARGUMENT: another name. Everything that is timed is checked first.
Status print_table(const std::string& name, const std::vector<std::unique_ptr<device::Device>>& devices,
                   double bytes_per_us, int longest);

}  // namespace weft::bench
