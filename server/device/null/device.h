// SPDX-License-Identifier: Apache-2.0
// A device that executes nothing: the template for a new back end, and what tests of the front end run on.
// Memory is real, copies and kernels do nothing, a mark is reached when it is made.
#pragma once

#include "server/device/backend.h"

namespace weft::device::null {

// Opened by the id "null"; never listed.
DeviceInfo describe();
StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device::null
