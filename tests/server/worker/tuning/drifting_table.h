// SPDX-License-Identifier: Apache-2.0
// A table of which every launch of a kernel drifts: each class of sizes, a nanosecond each.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "server/device/device.h"
#include "server/tuning/tuning_file.h"

namespace weft::worker {

inline void write_drifting_table(const std::string& folder, const device::Device& device,
                                 std::string_view kernel, std::string_view shape) {
  tuning::TuningTable table;
  table.set_driver(device.info().driver);
  for (int size_class = 5; size_class < 16; size_class++) {
    v1::TunedKernel entry;
    entry.set_kernel(std::string(kernel));
    entry.set_size_class(size_class);
    entry.set_shape(std::string(shape));
    entry.set_default_shape("64x4");
    entry.set_seconds(1e-9);
    entry.set_default_seconds(1e-9);
    entry.set_reason("It was written by a test.");
    tuning::put_tuned(table, entry);
  }
  ASSERT_THAT(tuning::write_table(tuning::path_in(folder, device.info()), table), IsOk());
}

// Entries that a try wrote.
inline int adapted(const tuning::TuningTable& table) {
  return int(std::ranges::count_if(
      table.kernels(), [](const v1::TunedKernel& entry) { return entry.reason().starts_with("Adapted: "); }));
}

}  // namespace weft::worker
