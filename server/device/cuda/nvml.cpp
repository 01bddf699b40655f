// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/nvml.h"

#include <algorithm>
#include <map>
#include <mutex>

#include <dlfcn.h>

namespace weft::device::cuda {
namespace {

Status open_library(NvmlApi& api) {
  void* library =
      // Open until the process ends.
      dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return unavailable(
        "NVIDIA's management library (libnvidia-ml.so.1) is not there, so other programs on the GPU are not "
        "noticed and its temperature is not known; it comes with the driver.");
#define WEFT_NVML_FIND(name, symbol, arguments)                                                            \
  api.name = reinterpret_cast<NvmlResult(*) arguments>(dlsym(library, symbol));                            \
  if (api.name == nullptr)                                                                                 \
    return unavailable(                                                                                    \
        "The NVIDIA driver is too old: libnvidia-ml.so.1 has no {}, so other programs on the GPU are not " \
        "noticed; install a newer one.",                                                                   \
        symbol);
  WEFT_NVML_FUNCTIONS(WEFT_NVML_FIND)
#undef WEFT_NVML_FIND
#define WEFT_NVML_FIND(name, symbol, older, arguments)                          \
  api.name = reinterpret_cast<NvmlResult(*) arguments>(dlsym(library, symbol)); \
  if (api.name == nullptr) api.name = reinterpret_cast<NvmlResult(*) arguments>(dlsym(library, older));
  WEFT_NVML_OPTIONAL_FUNCTIONS(WEFT_NVML_FIND)
#undef WEFT_NVML_FIND
  const NvmlResult result = api.init();
  if (result != kNvmlSuccess) return unavailable("nvmlInit_v2 fails (error {}).", result);
  return ok_status();
}

// Returns "GPU-" and the UUID in groups of 8, 4, 4, 4 and 12 digits.
std::string nvml_name(const std::string& uuid) {
  std::string name = "GPU-";
  for (size_t i = 0; i < uuid.size(); i++) {
    if (i == 8 || i == 12 || i == 16 || i == 20) name += '-';
    name += uuid[i];
  }
  return name;
}

class NvmlWatch final : public ExternalLoadWatch {
 public:
  NvmlWatch(const NvmlApi& api, NvmlDevice device, int own_pid)
      : api_(api), device_(device), own_pid_(own_pid) {}

  StatusOr<ExternalLoadSample> sample() override {
    std::map<int, ExternalProcess> processes;
    RETURN_IF_ERROR(add(processes, api_.compute_processes, "nvmlDeviceGetComputeRunningProcesses"));
    RETURN_IF_ERROR(add(processes, api_.graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses"));
    // In a container with its own process numbers, the driver reports the host's numbers. One of
    // them is then this process.
    const bool own_seen = processes.erase(own_pid_) > 0;
    if (!own_seen && processes.size() == 1) processes.clear();
    ExternalLoadSample sample;
    if (processes.empty()) return sample;
    const bool has_use = own_seen && add_use(processes);
    for (const auto& [pid, process] : processes) {
      sample.processes.push_back(process);
      sample.utilisation += process.utilisation;
    }
    // If the driver does not report the use per process, the figure is that of the whole device,
    // including this process.
    if (NvmlUse use{}; !has_use && api_.use(device_, &use) == kNvmlSuccess)
      sample.utilisation = use.compute / 100.0;
    sample.utilisation = std::min(1.0, sample.utilisation);
    return sample;
  }

 private:
  using List = NvmlResult (*)(NvmlDevice, unsigned*, NvmlProcess*);

  Status add(std::map<int, ExternalProcess>& processes, List list, std::string_view call) {
    unsigned count = 0;
    NvmlResult result = kNvmlInsufficientSize;
    for (int tries = 0; tries < 4 && result == kNvmlInsufficientSize; tries++) {
      if (list_.size() < count + 8) list_.resize(count + 8);  // further processes may have started
      count = unsigned(list_.size());
      result = list(device_, &count, list_.data());
    }
    if (result == kNvmlNotSupported) return ok_status();
    if (result != kNvmlSuccess) return unavailable("{} fails (error {}).", call, result);
    for (unsigned i = 0; i < count; i++) {
      ExternalProcess& process = processes[int(list_[i].pid)];
      process.pid = int(list_[i].pid);
      const unsigned long long bytes = list_[i].memory_bytes;
      if (bytes != kNvmlValueNotAvailable)
        process.memory_bytes = std::max(process.memory_bytes, size_t(bytes));
    }
    return ok_status();
  }

  // Sets the newest figure of each process. Returns false if the driver does not report figures.
  bool add_use(std::map<int, ExternalProcess>& processes) {
    unsigned count = 0;
    NvmlResult result = api_.process_use(device_, nullptr, &count, 0);
    if (result == kNvmlNotFound) return true;  // no process has used the device
    if (result != kNvmlSuccess && result != kNvmlInsufficientSize) return false;
    use_.resize(count + 8);
    count = unsigned(use_.size());
    result = api_.process_use(device_, use_.data(), &count, 0);
    if (result == kNvmlNotFound) return true;
    if (result != kNvmlSuccess) return false;
    std::map<int, unsigned long long> newest;
    unsigned long long last = 0;
    for (unsigned i = 0; i < count; i++) last = std::max(last, use_[i].time_us);
    for (unsigned i = 0; i < count; i++) {
      const auto process = processes.find(int(use_[i].pid));
      if (process == processes.end() || use_[i].time_us < newest[process->first]) continue;
      newest[process->first] = use_[i].time_us;
      // The driver keeps the last figure of an idle process. A figure much older than the newest
      // one counts as 0.
      const bool old = last - use_[i].time_us > kOldMicroseconds;
      process->second.utilisation = old || use_[i].compute > 100 ? 0 : use_[i].compute / 100.0;
    }
    return true;
  }

  static constexpr unsigned long long kOldMicroseconds = 1'500'000;

  const NvmlApi& api_;
  NvmlDevice device_;
  const int own_pid_;
  std::vector<NvmlProcess> list_;
  std::vector<NvmlProcessUse> use_;
};

StatusOr<NvmlDevice> find_device(const NvmlApi& api, const std::string& uuid) {
  NvmlDevice device = nullptr;
  const std::string name = nvml_name(uuid);
  const NvmlResult result = api.by_uuid(name.c_str(), &device);
  if (result != kNvmlSuccess)
    return not_found("NVIDIA's management library does not know the device {} (error {}).", name, result);
  return device;
}

class NvmlReadings final : public ReadingsSource {
 public:
  NvmlReadings(const NvmlApi& api, NvmlDevice device) : api_(api), device_(device) {}

  Readings read() override {
    Readings readings;
    readings.graphics_clock_mhz = number(api_.clock, kNvmlClockSm);
    readings.clock_limited = is_clock_limited();  // read at once, since it belongs to the clock
    readings.memory_clock_mhz = number(api_.clock, kNvmlClockMemory);
    readings.temperature_celsius = number(api_.temperature, kNvmlTemperatureGpu);
    readings.power_watts = watts(api_.power);
    readings.power_limit_watts = watts(api_.power_limit);
    if (NvmlMemory memory{}; api_.memory(device_, &memory) == kNvmlSuccess)
      readings.memory_used_bytes = size_t(memory.used);
    return readings;
  }

 private:
  template <class Call, class... What>
  std::optional<int> number(Call call, What... what) {
    unsigned value = 0;
    return call(device_, what..., &value) == kNvmlSuccess ? std::optional(int(value)) : std::nullopt;
  }
  std::optional<bool> is_clock_limited() {
    unsigned long long reasons = 0;
    if (api_.clock_reasons == nullptr || api_.clock_reasons(device_, &reasons) != kNvmlSuccess)
      return std::nullopt;
    return (reasons & (kNvmlLimitedByPower | kNvmlLimitedByHeat | kNvmlLimitedByEither)) != 0;
  }
  std::optional<double> watts(NvmlResult (*call)(NvmlDevice, unsigned*)) {
    const std::optional<int> milliwatts = number(call);
    return milliwatts ? std::optional(*milliwatts / 1000.0) : std::nullopt;
  }

  const NvmlApi& api_;
  NvmlDevice device_;
};

}  // namespace

StatusOr<const NvmlApi*> load_nvml() {
  static NvmlApi api;
  static Status started;
  static std::once_flag once;
  std::call_once(once, [] { started = open_library(api); });
  RETURN_IF_ERROR(started);
  return &api;
}

StatusOr<std::unique_ptr<ExternalLoadWatch>> watch_through_nvml(const NvmlApi& api, const std::string& uuid,
                                                                int own_pid) {
  ASSIGN_OR_RETURN(const NvmlDevice device, find_device(api, uuid));
  return std::make_unique<NvmlWatch>(api, device, own_pid);
}

StatusOr<std::unique_ptr<ReadingsSource>> read_through_nvml(const NvmlApi& api, const std::string& uuid) {
  ASSIGN_OR_RETURN(const NvmlDevice device, find_device(api, uuid));
  return std::make_unique<NvmlReadings>(api, device);
}

}  // namespace weft::device::cuda
