// SPDX-License-Identifier: Apache-2.0
// Converts the properties of devices to messages and texts.
#pragma once

#include <string>

#include "server/device/device.h"
#include "server/device/readings.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

v1::DeviceStatus to_message(const device::DeviceInfo& info);
v1::DeviceReadings to_message(const device::Readings& readings);

// Returns all devices that this machine can open, best first, and the reason for each that cannot
// be opened.
internal::v1::DeviceList list_all_devices();

// Returns the CUDA ordinal of the GPU that decodes for jobs on this device ("cuda:1" gives 1), or
// -1 for other devices; the driver then chooses the GPU.
int decoder_ordinal(const device::DeviceInfo& info);

// Returns a line for each device, then a line for each note.
std::string as_text(const internal::v1::DeviceList& list);

}  // namespace weft::worker
