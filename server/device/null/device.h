// SPDX-License-Identifier: Apache-2.0
// Opens a device that executes nothing: the template for a new back end, and the device for the
// front end's tests. It allocates memory, ignores copies and launches, and reaches a mark at once.
#pragma once

#include "server/device/backend.h"

namespace weft::device::null {

// Describe and open the device with the id "null", which list_devices() does not return.
DeviceInfo describe();
StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device::null
