// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/api.h"

#include <mutex>

#include <dlfcn.h>

namespace weft::device::cuda {
namespace {

Status open_library(Api& api) {
  // Open until the process ends.
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return unavailable(
        "There is no NVIDIA driver (libcuda.so.1); install it to use NVIDIA GPUs through CUDA.");
#define WEFT_CUDA_FIND(name, symbol, arguments)                               \
  api.name = reinterpret_cast<CuResult(*) arguments>(dlsym(library, symbol)); \
  if (api.name == nullptr)                                                    \
    return unavailable("The NVIDIA driver is too old: libcuda.so.1 has no {}; install a newer one.", symbol);
  WEFT_CUDA_FUNCTIONS(WEFT_CUDA_FIND)
#undef WEFT_CUDA_FIND
  return ok_status();
}

Status start(Api& api) {
  RETURN_IF_ERROR(open_library(api));
  const CuResult result = api.init(0);
  if (result == kCudaErrorNoDevice) return unavailable("The NVIDIA driver finds no GPU.");
  return status_of(api, result, "cuInit");
}

// Returns whether all later calls of the process fail after this error.
bool is_lost(CuResult result) {
  return result == kCudaErrorEccUncorrectable || result == kCudaErrorNvlinkUncorrectable ||
         (result >= kCudaErrorIllegalAddress && result <= kCudaErrorLaunchFailed &&
          result != kCudaErrorLaunchOutOfResources && result != kCudaErrorPrimaryContextActive);
}

}  // namespace

StatusOr<const Api*> load_api() {
  static Api api;
  static Status started;
  static std::once_flag once;
  std::call_once(once, [] { started = start(api); });
  RETURN_IF_ERROR(started);
  return &api;
}

Status status_of(const Api& api, CuResult result, std::string_view call) {
  if (result == kCudaSuccess) return ok_status();
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.error_name(result, &name) != kCudaSuccess || name == nullptr) name = "an error without a name";
  if (api.error_string(result, &text) != kCudaSuccess || text == nullptr) text = "no description";
  if (result == kCudaErrorOutOfMemory)
    return resource_exhausted("{} fails ({}: {}); use smaller batches.", call, name, text);
  if (is_lost(result)) return unavailable("The device is lost ({} returned {}: {}).", call, name, text);
  return internal_error("{} fails ({} {}: {}).", call, name, result, text);
}

}  // namespace weft::device::cuda
