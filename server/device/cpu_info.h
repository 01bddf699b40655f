// SPDX-License-Identifier: Apache-2.0
// Describes this machine's CPU as a device, for estimates without an open device.
#pragma once

#include "server/device/device.h"

namespace weft::device {

// Returns the description without loading a driver or opening a device. May be called on any
// thread.
const DeviceInfo& cpu_info();

}  // namespace weft::device
