// SPDX-License-Identifier: Apache-2.0
// Lists limits of the generations of GPUs that kernels are built for, as tests expect them. CUDA
// C++ Programming Guide 13.0, table "Technical Specifications per Compute Capability".
#pragma once

#include <cstdint>

#include "server/device/device.h"

namespace weft::device::cuda {

struct Generation {
  int capability;           // compute capability times 10
  uint32_t block_kib;       // "Maximum amount of shared memory per thread block"
  uint32_t unit_kib;        // "Maximum amount of shared memory per multiprocessor"
  const char* code_of_all;  // the target of a build with all architectures
  const char* code_text;    // the text in `weft devices`
};

inline constexpr Generation kGenerations[] = {
    {75, 64, 64, "75-virtual", "PTX of 7.5, compiled by the driver"},
    {80, 163, 164, "80", "machine code of 8.0"},
    {86, 99, 100, "86", "machine code of 8.6"},
    {89, 99, 100, "89", "machine code of 8.9"},
    {90, 227, 228, "90a", "machine code of 9.0a"},
    {100, 227, 228, "100", "machine code of 10.0"},
    {120, 99, 100, "120", "machine code of 12.0"},
};

// Returns a device with the generation's limits.
inline DeviceInfo info_of(const Generation& generation) {
  DeviceInfo info;
  info.kind = BackendKind::kCuda;
  info.id = "cuda:0";
  info.memory_bytes = info.max_buffer_bytes = size_t{8} << 30;
  info.max_blocks[0] = 0x7fffffff;
  info.max_blocks[1] = info.max_blocks[2] = 65535;
  info.max_block_lanes = 1024;
  info.shared_memory_bytes = generation.block_kib * 1024;
  info.unit_shared_memory_bytes = generation.unit_kib * 1024;
  info.params_bytes = 4096;
  info.subgroup_lanes = 32;
  info.compute_units = 30;
  info.has_warpgroups = generation.capability == 90;
  return info;
}

}  // namespace weft::device::cuda
