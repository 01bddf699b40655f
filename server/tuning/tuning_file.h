// SPDX-License-Identifier: Apache-2.0
// Reads and writes the tuning table of a device: a file in the worker's cache folder, named by the
// device's UUID, with a TuningTable in JSON. A file that is unreadable or was written for another
// driver counts as absent, at the cost of speed alone.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/device/device.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::tuning {

using internal::v1::TuningTable;

// A kernel and a size class: the key of an entry in the table.
struct LaunchSite {
  std::string kernel;
  int size_class = 0;
  auto operator<=>(const LaunchSite&) const = default;
};

// Returns the path of a device's learnt table, or an empty string without a cache folder.
std::string path_in(std::string_view folder, const device::DeviceInfo& info);
// Returns the file name of the shipped table for a device's name, with the interface as a prefix:
// "cuda-nvidia-h100-80gb-hbm3.json" for "NVIDIA H100 80GB HBM3" through CUDA. Letters and digits
// are kept in lower case; other characters become single hyphens.
std::string shipped_name(const device::DeviceInfo& info);

// Reads the table at `path`. Without a valid file, returns an empty table for this driver, with a
// warning in the log if the file is damaged. Entries that are invalid (an invalid shape, no kernel)
// are dropped.
TuningTable read_table(const std::string& path, const device::DeviceInfo& info);
// Reads the device's shipped table in `folder`; returns an empty table if the folder has none. A
// shipped table applies to every driver, since shapes change no output bytes. The reason of each
// entry starts with kShipped.
TuningTable read_shipped_table(std::string_view folder, const device::DeviceInfo& info);
inline constexpr std::string_view kShipped = "Shipped: ";
// Replaces the file atomically and durably. Does nothing if `path` is empty.
Status write_table(const std::string& path, const TuningTable& table);

// Returns the entry of a kernel and size class, or null if the table has none.
const v1::TunedKernel* find_tuned(const TuningTable& table, std::string_view kernel, int size_class);
// Adds or replaces the entry of a kernel and size class. The entries remain sorted by these.
void put_tuned(TuningTable& table, v1::TunedKernel entry);
// Returns the learnt entries, and the shipped entries for all other launch sites.
TuningTable merged(const TuningTable& shipped, const TuningTable& learnt);

// Returns the table for lookups on the device. It also contains entries with the declared shape, so
// that their size classes do not use the shape of a neighbouring class.
device::ShapeTable shapes_in(const TuningTable& table);

}  // namespace weft::tuning
