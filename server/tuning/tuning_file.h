// SPDX-License-Identifier: Apache-2.0
// What was found of a device's kernels, as a file in the worker's cache folder: protobuf's JSON of a TuningTable, under the device's
// uuid. What cannot be read, or was found with another driver, is as none: it costs speed, no more.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/device/device.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::tuning {

using internal::v1::TuningTable;

// A kernel and a class of sizes: what has an entry in the table.
struct TunedPlace {
  std::string kernel;
  int size_class = 0;
  auto operator<=>(const TunedPlace&) const = default;
};

// Where the learnt table of a device lies; empty: nowhere, as there is no folder.
std::string path_in(std::string_view folder, const device::DeviceInfo& info);
// The name of the shipped table of devices of a name, behind the way that they are reached: "cuda-nvidia-h100-80gb-hbm3.json" of "NVIDIA H100
// 80GB HBM3" through CUDA. Letters and digits are kept, in lower case; what lies between them becomes one hyphen.
std::string shipped_name(const device::DeviceInfo& info);

// The table at `path`; an empty one of this driver where there is none, with a warning where it is damaged. Entries that are no
// sense of a table (a shape that is none, no kernel) are left out.
TuningTable read_table(const std::string& path, const device::DeviceInfo& info);
// The table that is shipped for the device in `folder`; an empty one where there is none. It counts whatever driver it was found with: shapes
// change no bytes, and none is known better. Each entry's reason begins with kShipped.
TuningTable read_shipped_table(std::string_view folder, const device::DeviceInfo& info);
inline constexpr std::string_view kShipped = "Shipped: ";
// The file is replaced as a whole, durably. Nothing where the path is empty.
Status write_table(const std::string& path, const TuningTable& table);

// The entry of a kernel and class; null: there is none.
const v1::TunedKernel* find_tuned(const TuningTable& table, std::string_view kernel, int size_class);
// Replaces the entry of the same kernel and class, or adds it. Entries stay sorted by kernel and class.
void put_tuned(TuningTable& table, v1::TunedKernel entry);
// What was learnt, and what is shipped where nothing was.
TuningTable merged(const TuningTable& shipped, const TuningTable& learnt);

// What the device looks up. An entry of the declared shape counts too: its class takes no neighbour's.
device::ShapeTable shapes_in(const TuningTable& table);

}  // namespace weft::tuning
