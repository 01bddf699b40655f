// SPDX-License-Identifier: Apache-2.0
// What a module of kernels exports, for the tables that the build writes and for registry.cpp alone.
#pragma once

#include "kernel_stamp.h"
#include "kernels/lang/registry.h"

namespace weft::kernels {

struct KernelFamily {
  const char*
      stamp;  // kKernelStamp of the sources that it was built from; comes first, so that it can be read of any
  std::span<const KernelImage> kernels;
};

// The signature of a tuned variant, from one of the same Params and array.
inline CpuKernel with_lanes(CpuKernel like, std::span<const TunedValue> tuned) {
  like.run = nullptr;
  for (const TunedValue& each : tuned)
    if (each.name == "LANES") like.block_x = uint32_t(each.value);
  return like;
}

}  // namespace weft::kernels
