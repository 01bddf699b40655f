// SPDX-License-Identifier: Apache-2.0
// A kernel's fatbin, loaded as a module.
#pragma once

#include "server/device/backend.h"
#include "server/device/cuda/context.h"

namespace weft::device::cuda {

class CudaKernel final : public KernelBackend {
 public:
  static StatusOr<std::unique_ptr<KernelBackend>> make(const Context& context,
                                                       const kernels::KernelImage& image,
                                                       uint32_t sized_bytes);
  CudaKernel(const Context& context, const kernels::CpuKernel& shape, uint32_t sized_bytes)
      : context_(context), shape_(shape), sized_bytes_(sized_bytes) {}
  ~CudaKernel() override;

  CuFunction function() const { return function_; }
  uint32_t block_x() const { return shape_.block_x; }
  uint32_t block_y() const { return shape_.block_y; }
  uint32_t sized_bytes() const { return sized_bytes_; }
  // It waits by itself for the kernel before it, so that it may be launched early (kernels/lang/lang.h).
  bool waits_by_itself() const { return waits_by_itself_; }

 private:
  const Context& context_;
  const kernels::CpuKernel& shape_;
  uint32_t sized_bytes_;
  CuModule module_ = nullptr;
  CuFunction function_ = nullptr;
  bool waits_by_itself_ = false;
};

}  // namespace weft::device::cuda
