// SPDX-License-Identifier: Apache-2.0
// Loads the fatbin of a kernel as a module.
#pragma once

#include "server/device/backend.h"
#include "server/device/cuda/context.h"

namespace weft::device::cuda {

class CudaKernel final : public KernelBackend {
 public:
  static StatusOr<std::unique_ptr<KernelBackend>> make(const Context& context,
                                                       const kernels::KernelImage& image, KernelForm form);
  CudaKernel(const Context& context, KernelForm form) : context_(context), form_(form) {}
  ~CudaKernel() override;

  CuFunction function() const { return function_; }
  uint32_t block_x() const { return form_.block.x; }
  uint32_t block_y() const { return form_.block.y; }
  uint32_t sized_bytes() const { return form_.sized_bytes; }
  // Returns whether the kernel itself waits for the preceding kernel and may therefore be launched
  // before that kernel has ended (kernels/lang/lang.h).
  bool waits_by_itself() const { return waits_by_itself_; }

 private:
  const Context& context_;
  const KernelForm form_;
  CuModule module_ = nullptr;
  CuFunction function_ = nullptr;
  bool waits_by_itself_ = false;
};

}  // namespace weft::device::cuda
