// SPDX-License-Identifier: Apache-2.0
// Declares the functions of the CUDA driver API that are used. They are loaded at run time from
// libcuda.so.1: the program builds without the toolkit and starts without a driver. Types and
// values are those of NVIDIA's documentation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"

namespace weft::device::cuda {

using CuResult = int;
using CuDevice = int;
using CuDevicePointer = unsigned long long;
using CuContext = struct CuContextHandle*;
using CuStream = struct CuStreamHandle*;
using CuEvent = struct CuEventHandle*;
using CuModule = struct CuModuleHandle*;
using CuFunction = struct CuFunctionHandle*;
struct CuUuid {
  uint8_t bytes[16];
};

inline constexpr CuResult kCudaSuccess = 0;
inline constexpr CuResult kCudaErrorOutOfMemory = 2;
inline constexpr CuResult kCudaErrorNoDevice = 100;
inline constexpr CuResult kCudaErrorInvalidImage = 200;
inline constexpr CuResult kCudaErrorNoBinaryForGpu = 209;
inline constexpr CuResult kCudaErrorEccUncorrectable = 214;
inline constexpr CuResult kCudaErrorNvlinkUncorrectable = 220;
inline constexpr CuResult kCudaErrorUnsupportedPtxVersion = 222;
inline constexpr CuResult kCudaErrorNotReady = 600;
// The errors from kCudaErrorIllegalAddress to kCudaErrorLaunchFailed make all later calls of the
// process fail, with two exceptions.
inline constexpr CuResult kCudaErrorIllegalAddress = 700;
inline constexpr CuResult kCudaErrorLaunchOutOfResources = 701;  // exception
inline constexpr CuResult kCudaErrorPrimaryContextActive = 708;  // exception
inline constexpr CuResult kCudaErrorLaunchFailed = 719;

inline constexpr int kCuda12 = 12000;  // first driver_version of CUDA 12

// Compares the difference as a signed number.
inline constexpr unsigned kWaitValueGreaterOrEqual = 0;
inline constexpr unsigned kContextBlockingSync = 4;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventBlockingSync = 1;
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostDeviceMap = 2;

enum CuDeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kWarpSize = 10,
  kMultiprocessorCount = 16,
  kAsyncEngineCount = 40,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedMemoryPerMultiprocessor = 81,
  kMaxSharedMemoryPerBlockOptIn = 97,
};

enum CuFunctionAttribute : int {
  kPtxVersion = 5,  // target architecture of the code, times 10
  kMaxDynamicSharedSizeBytes = 8,
  kPreferredSharedMemoryCarveout = 9,  // in percent
};

// The layout is the driver's.
struct CuLaunchAttribute {
  static constexpr int kProgrammaticStreamSerialization = 6;
  int what = 0;
  char padding[4] = {};
  union {
    int value;
    char all[64] = {};
  };
};
struct CuLaunchConfig {
  unsigned blocks_x = 1, blocks_y = 1, blocks_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  CuStream stream = nullptr;
  CuLaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

// X(name here, symbol in the library, arguments); each function returns CuResult.
#define WEFT_CUDA_FUNCTIONS(X)                                                                              \
  X(init, "cuInit", (unsigned flags))                                                                       \
  X(driver_version, "cuDriverGetVersion", (int* version))                                                   \
  X(error_name, "cuGetErrorName", (CuResult error, const char** name))                                      \
  X(error_string, "cuGetErrorString", (CuResult error, const char** text))                                  \
  X(device_count, "cuDeviceGetCount", (int* count))                                                         \
  X(device_get, "cuDeviceGet", (CuDevice * device, int ordinal))                                            \
  X(device_name, "cuDeviceGetName", (char* name, int length, CuDevice device))                              \
  X(device_uuid, "cuDeviceGetUuid_v2", (CuUuid * uuid, CuDevice device))                                    \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, CuDevice device))                                \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, CuDeviceAttribute attribute, CuDevice device))   \
  X(context_set_flags, "cuDevicePrimaryCtxSetFlags_v2", (CuDevice device, unsigned flags))                  \
  X(context_retain, "cuDevicePrimaryCtxRetain", (CuContext * context, CuDevice device))                     \
  X(context_release, "cuDevicePrimaryCtxRelease_v2", (CuDevice device))                                     \
  X(context_set_current, "cuCtxSetCurrent", (CuContext context))                                            \
  X(stream_priorities, "cuCtxGetStreamPriorityRange", (int* least, int* greatest))                          \
  X(memory_info, "cuMemGetInfo_v2", (size_t * free, size_t * total))                                        \
  X(memory_allocate, "cuMemAlloc_v2", (CuDevicePointer * address, size_t bytes))                            \
  X(memory_free, "cuMemFree_v2", (CuDevicePointer address))                                                 \
  X(host_register, "cuMemHostRegister_v2", (void* host, size_t bytes, unsigned flags))                      \
  X(host_unregister, "cuMemHostUnregister", (void* host))                                                   \
  X(host_address, "cuMemHostGetDevicePointer_v2", (CuDevicePointer * address, void* host, unsigned flags))  \
  X(copy_async, "cuMemcpyAsync", (CuDevicePointer to, CuDevicePointer from, size_t bytes, CuStream stream)) \
  X(fill_async, "cuMemsetD8Async", (CuDevicePointer to, uint8_t value, size_t bytes, CuStream stream))      \
  X(stream_create, "cuStreamCreateWithPriority", (CuStream * stream, unsigned flags, int priority))         \
  X(stream_destroy, "cuStreamDestroy_v2", (CuStream stream))                                                \
  X(stream_wait_event, "cuStreamWaitEvent", (CuStream stream, CuEvent event, unsigned flags))               \
  X(stream_wait_value, "cuStreamWaitValue32_v2",                                                            \
    (CuStream stream, CuDevicePointer address, uint32_t value, unsigned flags))                             \
  X(stream_synchronize, "cuStreamSynchronize", (CuStream stream))                                           \
  X(event_create, "cuEventCreate", (CuEvent * event, unsigned flags))                                       \
  X(event_destroy, "cuEventDestroy_v2", (CuEvent event))                                                    \
  X(event_record, "cuEventRecord", (CuEvent event, CuStream stream))                                        \
  X(event_query, "cuEventQuery", (CuEvent event))                                                           \
  X(event_synchronize, "cuEventSynchronize", (CuEvent event))                                               \
  X(event_elapsed, "cuEventElapsedTime", (float* milliseconds, CuEvent from, CuEvent to))                   \
  X(module_load, "cuModuleLoadData", (CuModule * module, const void* image))                                \
  X(module_unload, "cuModuleUnload", (CuModule module))                                                     \
  X(module_function, "cuModuleGetFunction", (CuFunction * function, CuModule module, const char* name))     \
  X(function_attribute, "cuFuncSetAttribute",                                                               \
    (CuFunction function, CuFunctionAttribute attribute, int value))                                        \
  X(function_info, "cuFuncGetAttribute", (int* value, CuFunctionAttribute attribute, CuFunction function))  \
  X(launch, "cuLaunchKernelEx",                                                                             \
    (const CuLaunchConfig* config, CuFunction function, void** params, void** extra))

struct Api {
#define WEFT_CUDA_POINTER(name, symbol, arguments) CuResult(*name) arguments = nullptr;
  WEFT_CUDA_FUNCTIONS(WEFT_CUDA_POINTER)
#undef WEFT_CUDA_POINTER
};

// Returns the functions of the driver. The first call opens and initialises the driver. Returns
// UNAVAILABLE if there is no driver or no device.
StatusOr<const Api*> load_api();

// Returns OK for kCudaSuccess, otherwise an error with the failed `call` ("cuMemAlloc") and the
// driver's name and text of the error.
Status status_of(const Api& api, CuResult result, std::string_view call);

}  // namespace weft::device::cuda
