// SPDX-License-Identifier: Apache-2.0
// Declares the choice of the array of gemm_tensor for a device, from its limits alone.
#pragma once

#include "server/device/device.h"

namespace weft::benchmarks {

// Returns the bytes of gemm_tensor's array: for as many stages as the device's code has.
size_t gemm_tensor_bytes(const device::DeviceInfo& info);

}  // namespace weft::benchmarks
