// SPDX-License-Identifier: Apache-2.0
// A kernel's fatbin, loaded as a module.
#pragma once

#include "server/device/backend.h"
#include "server/device/cuda/context.h"

namespace weft::device::cuda {

class CudaKernel final : public KernelBackend {
 public:
  static StatusOr<std::unique_ptr<KernelBackend>> make(const Context& context,
                                                       const kernels::KernelImage& image);
  CudaKernel(const Context& context, const kernels::CpuKernel& shape) : context_(context), shape_(shape) {}
  ~CudaKernel() override;

  CuFunction function() const { return function_; }
  uint32_t block_x() const { return shape_.block_x; }
  uint32_t block_y() const { return shape_.block_y; }

 private:
  const Context& context_;
  const kernels::CpuKernel& shape_;
  CuModule module_ = nullptr;
  CuFunction function_ = nullptr;
};

}  // namespace weft::device::cuda
