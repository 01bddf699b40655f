// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/kernel.h"

#include "server/device/cuda/code.h"

namespace weft::device::cuda {

StatusOr<std::unique_ptr<KernelBackend>> CudaKernel::make(const Context& context,
                                                          const kernels::KernelImage& image,
                                                          KernelForm form) {
  ASSIGN_OR_RETURN(const std::string code, read_code(image.name));
  auto kernel = std::make_unique<CudaKernel>(context, form);
  const CuResult loaded = context.call_raw(&Api::module_load, &kernel->module_, code.data());
  if (loaded == kCudaErrorUnsupportedPtxVersion)
    return failed_precondition(
        "The kernel '{}' cannot be compiled: the NVIDIA driver is older than the kernels (error {}); install "
        "the driver of CUDA 13.0 (580) or a newer one.",
        image.name, loaded);
  if (loaded == kCudaErrorNoBinaryForGpu || loaded == kCudaErrorInvalidImage)
    return failed_precondition(
        "The kernel '{}' was not built for this GPU's architecture (error {}); add it to "
        "WEFT_CUDA_ARCHITECTURES, or install the driver of CUDA 13.0 (580) or a newer one.",
        image.name, loaded);
  RETURN_IF_ERROR(status_of(context.api(), loaded, "cuModuleLoadData"));
  RETURN_IF_ERROR(context.call("cuModuleGetFunction", &Api::module_function, &kernel->function_,
                               kernel->module_, "weft_entry"));
  constexpr int kFirstThatWaits = 90;
  int version = 0;
  RETURN_IF_ERROR(
      context.call("cuFuncGetAttribute", &Api::function_info, &version, kPtxVersion, kernel->function_));
  kernel->waits_by_itself_ = version >= kFirstThatWaits;
  if (form.sized_bytes == 0) return kernel;
  // The default limit of a block is 48 KiB.
  RETURN_IF_ERROR(context.call("cuFuncSetAttribute", &Api::function_attribute, kernel->function_,
                               kMaxDynamicSharedSizeBytes, static_cast<int>(form.sized_bytes)));
  // All kernels have the same setting: between two launches with different ones, a multiprocessor
  // drains before it divides its memory again.
  RETURN_IF_ERROR(context.call("cuFuncSetAttribute", &Api::function_attribute, kernel->function_,
                               kPreferredSharedMemoryCarveout, 100));
  return kernel;
}

CudaKernel::~CudaKernel() {
  if (module_ != nullptr) static_cast<void>(context_.call_raw(&Api::module_unload, module_));
}

}  // namespace weft::device::cuda
