// SPDX-License-Identifier: Apache-2.0
#include "server/device/cpu/device.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include <sched.h>
#include <unistd.h>

#include "server/device/cpu/buffer.h"
#include "server/device/cpu/kernel.h"
#include "server/device/cpu/stream.h"

namespace weft::device::cpu {
namespace {

// Returns the number of processors that taskset, Slurm or a container allows this process to use.
uint32_t usable_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return static_cast<uint32_t>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

// Returns the machine's memory, or the control group's limit if that is lower, in bytes.
size_t usable_memory_bytes() {
  const size_t machine =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t group = 0;
  std::ifstream file("/sys/fs/cgroup/memory.max");  // contains "max" if there is no limit
  return file >> group ? std::min(machine, group) : machine;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "CPU";
}

// Returns an id that is the same at every start and different on every machine. The hash does not
// disclose the machine's own id.
std::string machine_uuid() {
  std::string id;
  std::ifstream("/etc/machine-id") >> id;
  uint64_t hash[2] = {0xcbf29ce484222325, 0x84222325cbf29ce4};  // FNV-1a with two initial values
  for (const char c : "weft cpu " + id)
    for (uint64_t& h : hash) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}{:016x}", hash[0], hash[1]);
}

class CpuDevice final : public DeviceBackend {
 public:
  CpuDevice(int threads, kernels::CpuIsa isa) : pool_(threads), isa_(isa) {}

  StatusOr<std::unique_ptr<BufferBackend>> allocate(MemoryKind kind, size_t size_bytes) override {
    return CpuBuffer::make(kind, size_bytes);
  }
  StatusOr<std::unique_ptr<StreamBackend>> make_stream(StreamPriority priority, StreamUse) override {
    return std::make_unique<CpuStream>(pool_, priority);
  }
  StatusOr<std::unique_ptr<KernelBackend>> load(const kernels::KernelImage& image, KernelForm form) override {
    return CpuKernel::make(image, isa_, form);
  }

 private:
  ThreadPool pool_;
  kernels::CpuIsa isa_;
};

StatusOr<kernels::CpuIsa> choose_isa(const std::string& wanted) {
  if (wanted.empty()) return best_isa();
  for (int i = 0; i < kernels::kCpuIsas; i++) {
    const auto isa = static_cast<kernels::CpuIsa>(i);
    if (to_string(isa) != wanted) continue;
    if (isa <= best_isa()) return isa;
    return failed_precondition("This machine does not have the instruction set {}, only {}.", wanted,
                               to_string(best_isa()));
  }
  return invalid_argument("There is no instruction set '{}'; use baseline, x86-64-v3 or x86-64-v4.", wanted);
}

}  // namespace

Found find_devices() {
  DeviceInfo info;
  info.kind = BackendKind::kCpu;
  info.id = "cpu";
  info.name = processor_name();
  info.uuid = machine_uuid();
  info.driver = fmt::format("Weft {}, {}", WEFT_VERSION, to_string(best_isa()));
  info.is_software = true;
  info.memory_bytes = usable_memory_bytes();
  info.max_buffer_bytes = info.memory_bytes;
  std::ranges::fill(info.max_blocks, std::numeric_limits<uint32_t>::max());
  info.max_block_lanes = 1024;
  info.shared_memory_bytes = 4 << 20;  // a thread allocates the amount that a kernel requests
  info.unit_shared_memory_bytes = info.shared_memory_bytes;
  info.params_bytes = 128;
  info.subgroup_lanes = 1;
  info.compute_units = usable_processors();
  info.timestamp_resolution_ns = 1;
  info.can_hold_back = true;
  return {{info}, {}};
}

StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options) {
  if (options.cpu_threads < 0 || options.cpu_threads > 4096)
    return invalid_argument("The number of CPU threads is out of range ({}, from 0 to 4096).",
                            options.cpu_threads);
  ASSIGN_OR_RETURN(const kernels::CpuIsa isa, choose_isa(options.cpu_isa));
  const int threads = options.cpu_threads > 0 ? options.cpu_threads : static_cast<int>(info.compute_units);
  return std::make_unique<CpuDevice>(threads, isa);
}

}  // namespace weft::device::cpu
