// SPDX-License-Identifier: Apache-2.0
// Defines the exports of a kernel module. Only the generated tables and registry.cpp include this
// file.
#pragma once

#include "kernel_stamp.h"
#include "kernels/lang/registry.h"

namespace weft::kernels {

struct KernelFamily {
  const char*
      // kKernelStamp of the sources of the module. It is the first member, so that a module of any
      // version can be read.
      stamp;
  std::span<const KernelImage> kernels;
};

// Returns the signature of a tuned variant, from that of a variant with the same Params and array.
inline CpuKernel with_lanes(CpuKernel like, std::span<const TunedValue> tuned) {
  like.run = nullptr;
  for (const TunedValue& each : tuned)
    if (each.name == "LANES") like.block_x = uint32_t(each.value);
  return like;
}

}  // namespace weft::kernels
