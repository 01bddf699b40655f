// SPDX-License-Identifier: Apache-2.0
// Stands in for NVIDIA's driver, libcuda.so.1: GPUs of any generation, with the host's memory. It
// executes the kernel of the self-test and no other, and keeps "compiled" code in CUDA_CACHE_PATH.
//
//   WEFT_FAKE_GPUS="86,75"   compute capabilities, times 10
//   WEFT_FAKE_LOAD_ERROR=222 result of every cuModuleLoadData
//
// Built with WEFT_FAKE_OLD it lacks cuLaunchKernelEx, as drivers before CUDA 11.8 do.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/device/sum_blocks.kernel"
#include "server/device/cuda/api.h"

namespace weft::device::cuda {
namespace {

struct FakeEvent {
  std::chrono::steady_clock::time_point time;
};

int handle = 0;  // target of all handles without content

template <class Handle>
Handle any_handle() {
  return reinterpret_cast<Handle>(&handle);
}

std::vector<int> capabilities() {
  std::vector<int> found;
  const char* rest = std::getenv("WEFT_FAKE_GPUS");
  while (rest != nullptr && *rest != 0) {
    char* end = nullptr;
    found.push_back(int(std::strtol(rest, &end, 10)));
    rest = *end == ',' ? end + 1 : end;
  }
  return found;
}

int shared_kib(int capability) {
  if (capability == 80) return 163;
  if (capability == 90 || capability / 10 == 10) return 227;
  return capability < 80 ? 64 : 99;
}

int attribute_of(int capability, CuDeviceAttribute which) {
  switch (which) {
    case kMaxThreadsPerBlock:
      return 1024;
    case kMaxGridX:
      return 0x7fffffff;
    case kMaxGridY:
    case kMaxGridZ:
      return 65535;
    case kWarpSize:
      return 32;
    case kMultiprocessorCount:
      return 28;
    case kAsyncEngineCount:
      return 2;
    case kComputeCapabilityMajor:
      return capability / 10;
    case kComputeCapabilityMinor:
      return capability % 10;
    case kMaxSharedMemoryPerMultiprocessor:
      return (shared_kib(capability) + 1) * 1024;
    case kMaxSharedMemoryPerBlockOptIn:
      return shared_kib(capability) * 1024;
  }
  return 0;
}

// Writes a file as the driver does after it has compiled PTX.
void keep_compiled(size_t bytes) {
  const char* const folder = std::getenv("CUDA_CACHE_PATH");
  if (folder == nullptr) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::ofstream(std::filesystem::path(folder) / ("compiled-" + std::to_string(bytes))) << "code";
}

}  // namespace

extern "C" {

CuResult cuInit(unsigned) { return capabilities().empty() ? kCudaErrorNoDevice : kCudaSuccess; }
CuResult cuDriverGetVersion(int* version) {
  *version = 13000;
  return kCudaSuccess;
}
CuResult cuGetErrorName(CuResult, const char** name) {
  *name = "CUDA_ERROR_OF_THE_FAKE";
  return kCudaSuccess;
}
CuResult cuGetErrorString(CuResult, const char** text) {
  *text = "the fake driver's error";
  return kCudaSuccess;
}
CuResult cuDeviceGetCount(int* count) {
  *count = int(capabilities().size());
  return kCudaSuccess;
}
CuResult cuDeviceGet(CuDevice* device, int ordinal) {
  *device = ordinal;
  return kCudaSuccess;
}
CuResult cuDeviceGetName(char* name, int length, CuDevice device) {
  std::snprintf(name, size_t(length), "Fake %d", capabilities().at(size_t(device)));
  return kCudaSuccess;
}
CuResult cuDeviceGetUuid_v2(CuUuid* uuid, CuDevice device) {
  std::memset(uuid->bytes, 0xfa, sizeof(uuid->bytes));
  uuid->bytes[0] = uint8_t(device);
  return kCudaSuccess;
}
CuResult cuDeviceTotalMem_v2(size_t* bytes, CuDevice) {
  *bytes = size_t{8} << 30;
  return kCudaSuccess;
}
CuResult cuMemGetInfo_v2(size_t* free, size_t* total) {
  *free = size_t{7} << 30;
  *total = size_t{8} << 30;
  return kCudaSuccess;
}
CuResult cuDeviceGetAttribute(int* value, CuDeviceAttribute attribute, CuDevice device) {
  *value = attribute_of(capabilities().at(size_t(device)), attribute);
  return kCudaSuccess;
}
CuResult cuDevicePrimaryCtxSetFlags_v2(CuDevice, unsigned) { return kCudaSuccess; }
CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice) {
  *context = any_handle<CuContext>();
  return kCudaSuccess;
}
CuResult cuDevicePrimaryCtxRelease_v2(CuDevice) { return kCudaSuccess; }
CuResult cuCtxSetCurrent(CuContext) { return kCudaSuccess; }
CuResult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return kCudaSuccess;
}
CuResult cuMemAlloc_v2(CuDevicePointer* address, size_t bytes) {
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = reinterpret_cast<CuDevicePointer>(memory);
  return memory == nullptr ? kCudaErrorOutOfMemory : kCudaSuccess;
}
CuResult cuMemFree_v2(CuDevicePointer address) {
  std::free(reinterpret_cast<void*>(address));
  return kCudaSuccess;
}
CuResult cuMemHostRegister_v2(void*, size_t, unsigned) { return kCudaSuccess; }
CuResult cuMemHostUnregister(void*) { return kCudaSuccess; }
CuResult cuMemHostGetDevicePointer_v2(CuDevicePointer* address, void* host, unsigned) {
  *address = reinterpret_cast<CuDevicePointer>(host);
  return kCudaSuccess;
}
CuResult cuMemcpyAsync(CuDevicePointer to, CuDevicePointer from, size_t bytes, CuStream) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return kCudaSuccess;
}
CuResult cuMemsetD8Async(CuDevicePointer to, uint8_t value, size_t bytes, CuStream) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return kCudaSuccess;
}
CuResult cuStreamCreateWithPriority(CuStream* stream, unsigned, int) {
  *stream = any_handle<CuStream>();
  return kCudaSuccess;
}
CuResult cuStreamDestroy_v2(CuStream) { return kCudaSuccess; }
CuResult cuStreamWaitEvent(CuStream, CuEvent, unsigned) { return kCudaSuccess; }
CuResult cuStreamWaitValue32_v2(CuStream, CuDevicePointer, uint32_t, unsigned) { return kCudaSuccess; }
CuResult cuStreamSynchronize(CuStream) { return kCudaSuccess; }
CuResult cuEventCreate(CuEvent* event, unsigned) {
  *event = reinterpret_cast<CuEvent>(new FakeEvent);
  return kCudaSuccess;
}
CuResult cuEventDestroy_v2(CuEvent event) {
  delete reinterpret_cast<FakeEvent*>(event);
  return kCudaSuccess;
}
CuResult cuEventRecord(CuEvent event, CuStream) {
  reinterpret_cast<FakeEvent*>(event)->time = std::chrono::steady_clock::now();
  return kCudaSuccess;
}
CuResult cuEventQuery(CuEvent) { return kCudaSuccess; }
CuResult cuEventSynchronize(CuEvent) { return kCudaSuccess; }
CuResult cuEventElapsedTime(float* milliseconds, CuEvent from, CuEvent to) {
  const auto elapsed = reinterpret_cast<FakeEvent*>(to)->time - reinterpret_cast<FakeEvent*>(from)->time;
  *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
  return kCudaSuccess;
}
CuResult cuModuleLoadData(CuModule* module, const void* image) {
  if (const char* error = std::getenv("WEFT_FAKE_LOAD_ERROR")) return std::atoi(error);
  // a fatbin begins with a magic number; its size is in bytes 8 to 15
  uint32_t magic = 0;
  uint64_t bytes = 0;
  std::memcpy(&magic, image, sizeof(magic));
  std::memcpy(&bytes, static_cast<const char*>(image) + 8, sizeof(bytes));
  if (magic != 0xba55ed50) return kCudaErrorInvalidImage;
  keep_compiled(bytes);
  *module = any_handle<CuModule>();
  return kCudaSuccess;
}
CuResult cuModuleUnload(CuModule) { return kCudaSuccess; }
CuResult cuModuleGetFunction(CuFunction* function, CuModule, const char* name) {
  *function = any_handle<CuFunction>();
  return std::strcmp(name, "weft_entry") == 0 ? kCudaSuccess : kCudaErrorInvalidImage;
}
CuResult cuFuncSetAttribute(CuFunction, CuFunctionAttribute, int) { return kCudaSuccess; }
CuResult cuFuncGetAttribute(int* value, CuFunctionAttribute, CuFunction) {
  *value = 75;
  return kCudaSuccess;
}
#if !defined(WEFT_FAKE_OLD)
static void sum_blocks(const kernels::sum_blocks::Params& p) {
  const int blocks_x = (p.width + 15) / 16;
  std::memset(p.sums.v, 0, sizeof(*p.sums.v) * size_t(blocks_x) * size_t((p.height + 7) / 8));
  for (int y = 0; y < p.height; y++)
    for (int x = 0; x < p.width; x++) p.sums.v[y / 8 * blocks_x + x / 16] += p.values.v[y * p.width + x];
}
// Blocks of 16 x 8 lanes are those of the self-test's kernel alone.
CuResult cuLaunchKernelEx(const CuLaunchConfig* config, CuFunction, void**, void** extra) {
  if (config->block_x != 16 || config->block_y != 8) return kCudaSuccess;
  kernels::sum_blocks::Params params;
  std::memcpy(&params, extra[1], sizeof(params));
  sum_blocks(params);
  return kCudaSuccess;
}
#endif

}  // extern "C"

}  // namespace weft::device::cuda
