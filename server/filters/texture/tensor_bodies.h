// SPDX-License-Identifier: Apache-2.0
// Chooses the bodies of the texture networks' kernels for a device, from its limits alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "server/device/device.h"

namespace weft::filters::texture {

// The kernel of a layer of the networks `large`.
enum class LayerBody {
  kRows,    // portable; for CPUs, and for GPUs with little shared memory
  kLanes,   // portable, for GPUs
  kTensor,  // mma
  kWide,    // wgmma: the kernel of kTensor in its code for compute capability 9.0
};

// Returns the body for a device; alternative 0 is kRows everywhere.
LayerBody layer_body(const device::DeviceInfo& info, int alternative);
// Returns the bytes of the array of kTensor or kWide. kTensor keeps the weights in it if they fit.
size_t layer_bytes(const device::DeviceInfo& info, LayerBody body);

// Returns the bytes of the array of small_blocks on tensor cores: with the weights if they fit.
size_t small_make_bytes(const device::DeviceInfo& info);
// Returns the number of its teams for each compute unit.
uint32_t small_make_teams(const device::DeviceInfo& info);

}  // namespace weft::filters::texture
