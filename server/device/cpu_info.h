// SPDX-License-Identifier: Apache-2.0
// This machine's CPU as a device, for estimates that are made where no device is open.
#pragma once

#include "server/device/device.h"

namespace weft::device {

// Asks no driver and opens nothing. Any thread.
const DeviceInfo& cpu_info();

}  // namespace weft::device
