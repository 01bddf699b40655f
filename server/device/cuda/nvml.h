// SPDX-License-Identifier: Apache-2.0
// Declares the functions of NVML (NVIDIA's management library) that are used, loaded at run time
// from libnvidia-ml.so.1. They report the use of the device by other processes, and readings of the
// hardware. Types and values are those of NVIDIA's documentation.
#pragma once

#include <cstdint>
#include <string>

#include "server/device/external_load_watch.h"
#include "server/device/readings.h"

namespace weft::device::cuda {

using NvmlResult = int;
using NvmlDevice = struct NvmlDeviceHandle*;

inline constexpr NvmlResult kNvmlSuccess = 0;
inline constexpr NvmlResult kNvmlNotSupported = 3;
inline constexpr NvmlResult kNvmlNotFound = 6;
inline constexpr NvmlResult kNvmlInsufficientSize = 7;
inline constexpr unsigned long long kNvmlValueNotAvailable = ~0ull;

struct NvmlProcess {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
struct NvmlProcessUse {
  unsigned pid;
  unsigned long long time_us;
  unsigned compute, memory, encoder, decoder;  // in percent
};
struct NvmlUse {
  unsigned compute, memory;  // in percent
};

struct NvmlMemory {
  unsigned long long total, free, used;  // in bytes
};
inline constexpr int kNvmlTemperatureGpu = 0;
inline constexpr int kNvmlClockSm = 1, kNvmlClockMemory = 2;
// Reasons for a reduced clock: the power limit, enforced by software (0x04) or by hardware (0x80);
// heat, detected by software (0x20) or by hardware (0x40); a slowdown by the hardware for either
// reason (0x08).
inline constexpr unsigned long long kNvmlLimitedByPower = 0x04 | 0x80, kNvmlLimitedByHeat = 0x20 | 0x40,
                                    kNvmlLimitedByEither = 0x08;

// X(name here, symbol in the library, arguments); each function returns NvmlResult.
#define WEFT_NVML_FUNCTIONS(X)                                                                    \
  X(init, "nvmlInit_v2", ())                                                                      \
  X(by_uuid, "nvmlDeviceGetHandleByUUID", (const char* uuid, NvmlDevice* device))                 \
  X(use, "nvmlDeviceGetUtilizationRates", (NvmlDevice device, NvmlUse * use))                     \
  X(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                 \
    (NvmlDevice device, unsigned* count, NvmlProcess* processes))                                 \
  X(graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3",                               \
    (NvmlDevice device, unsigned* count, NvmlProcess* processes))                                 \
  X(process_use, "nvmlDeviceGetProcessUtilization",                                               \
    (NvmlDevice device, NvmlProcessUse * use, unsigned* count, unsigned long long newer_than_us)) \
  X(clock, "nvmlDeviceGetClockInfo", (NvmlDevice device, int type, unsigned* mhz))                \
  X(temperature, "nvmlDeviceGetTemperature", (NvmlDevice device, int sensor, unsigned* celsius))  \
  X(power, "nvmlDeviceGetPowerUsage", (NvmlDevice device, unsigned* milliwatts))                  \
  X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (NvmlDevice device, unsigned* milliwatts))    \
  X(memory, "nvmlDeviceGetMemoryInfo", (NvmlDevice device, NvmlMemory * memory))

// X(name here, symbol, older symbol, arguments). A function is null if the library has neither
// symbol.
#define WEFT_NVML_OPTIONAL_FUNCTIONS(X)                                                                   \
  X(clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons", \
    (NvmlDevice device, unsigned long long* reasons))

struct NvmlApi {
#define WEFT_NVML_POINTER(name, symbol, arguments) NvmlResult(*name) arguments = nullptr;
  WEFT_NVML_FUNCTIONS(WEFT_NVML_POINTER)
#undef WEFT_NVML_POINTER
#define WEFT_NVML_POINTER(name, symbol, older, arguments) NvmlResult(*name) arguments = nullptr;
  WEFT_NVML_OPTIONAL_FUNCTIONS(WEFT_NVML_POINTER)
#undef WEFT_NVML_POINTER
};

// Returns the functions of the library. The first call opens and initialises the library. Returns
// UNAVAILABLE if there is no library.
StatusOr<const NvmlApi*> load_nvml();

// Opens the source for the device with DeviceInfo::uuid `uuid`. `own_pid` is this process, which is
// not counted as external load.
StatusOr<std::unique_ptr<ExternalLoadWatch>> watch_through_nvml(const NvmlApi& api, const std::string& uuid,
                                                                int own_pid);
StatusOr<std::unique_ptr<ReadingsSource>> read_through_nvml(const NvmlApi& api, const std::string& uuid);

}  // namespace weft::device::cuda
