// SPDX-License-Identifier: Apache-2.0
// Devices as the daemon and people see them.
#pragma once

#include <string>

#include "server/device/device.h"
#include "server/device/readings.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

v1::DeviceStatus to_message(const device::DeviceInfo& info);
v1::DeviceReadings to_message(const device::Readings& readings);

// Every device that can be opened here, best first, and why others cannot.
internal::v1::DeviceList list_all_devices();

// The GPU whose decoder feeds a job on this device: its CUDA number ("cuda:1" gives 1); -1, the driver's choice, for
// devices that are not seen through CUDA.
int decoder_ordinal(const device::DeviceInfo& info);

// A line a device, a line a note.
std::string as_text(const internal::v1::DeviceList& list);

}  // namespace weft::worker
