// SPDX-License-Identifier: Apache-2.0
// A kernel built for the CPU, and how its grid is cut into parts for the pool.
#pragma once

#include <atomic>

#include "server/device/backend.h"
#include "server/device/cpu/thread_pool.h"

namespace weft::device::cpu {

// The best instruction set that this machine has.
kernels::CpuIsa best_isa();

class CpuKernel final : public KernelBackend {
 public:
  // The build of `image` for the best instruction set up to `isa`. NOT_FOUND: it was built for none of them.
  static StatusOr<std::unique_ptr<KernelBackend>> make(const kernels::KernelImage& image, kernels::CpuIsa isa,
                                                       KernelForm form);

  // Runs the grid's blocks on the pool; returns when they are done. `pieces` rises with each part that is.
  void run(ThreadPool& pool, StreamPriority priority, Grid grid, const void* params,
           std::atomic<uint64_t>& pieces) const;

 private:
  CpuKernel(const kernels::CpuKernel& kernel, KernelForm form) : kernel_(&kernel), form_(form) {}

  const kernels::CpuKernel* kernel_;
  const KernelForm form_;
};

}  // namespace weft::device::cpu
