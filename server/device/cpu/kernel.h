// SPDX-License-Identifier: Apache-2.0
// Runs a kernel that was built for the CPU, and divides its grid into parts for the thread pool.
#pragma once

#include <atomic>

#include "server/device/backend.h"
#include "server/device/cpu/thread_pool.h"

namespace weft::device::cpu {

// Returns the best instruction set that this machine supports.
kernels::CpuIsa best_isa();

class CpuKernel final : public KernelBackend {
 public:
  // Selects the build of `image` for the best instruction set up to `isa`. Returns NOT_FOUND if
  // there is no such build.
  static StatusOr<std::unique_ptr<KernelBackend>> make(const kernels::KernelImage& image, kernels::CpuIsa isa,
                                                       KernelForm form);

  // Runs the grid's blocks on the pool and returns when they are done. Increments `chunks` after
  // each part.
  void run(ThreadPool& pool, StreamPriority priority, Grid grid, const void* params,
           std::atomic<uint64_t>& chunks) const;

 private:
  CpuKernel(const kernels::CpuKernel& kernel, KernelForm form) : kernel_(&kernel), form_(form) {}

  const kernels::CpuKernel* kernel_;
  const KernelForm form_;
};

}  // namespace weft::device::cpu
