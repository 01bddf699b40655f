// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace weft::queue {
namespace {

// Returns the number that follows a word at the beginning of a line.
std::optional<int64_t> number_behind(const std::string& path, std::string_view word) {
  std::ifstream file(path);
  std::string first;
  for (int64_t number = 0; file >> first;) {
    if (first == word && file >> number) return number;
    file.ignore(1 << 12, '\n');
  }
  return std::nullopt;
}

// Returns the number in a file, or nullopt for "max" or a missing file.
std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// Returns "/system.slice/weftd.service" from the line "0::/system.slice/weftd.service".
std::string control_group(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/")) return line.substr(3);
  return "/";
}

}  // namespace

int64_t MachineMemory::reserve() const { return std::min(kHostReserveBytes, all_bytes / kHostReserveShare); }

MachineMemory read_machine_memory(const std::string& root) {
  constexpr int64_t kKilobyte = 1024;
  MachineMemory memory;
  const std::string meminfo = root + "/proc/meminfo";
  memory.all_bytes = number_behind(meminfo, "MemTotal:").value_or(0) * kKilobyte;
  memory.available_bytes = number_behind(meminfo, "MemAvailable:").value_or(0) * kKilobyte;
  for (std::string group = control_group(root);; group.erase(group.rfind('/'))) {
    const std::string folder = root + "/sys/fs/cgroup" + (group == "/" ? "" : group);
    if (const auto most = number_in(folder + "/memory.max")) {
      const int64_t used = number_in(folder + "/memory.current").value_or(0) -
                           number_behind(folder + "/memory.stat", "inactive_file").value_or(0);
      memory.all_bytes = std::min(memory.all_bytes, *most);
      memory.available_bytes = std::min(memory.available_bytes, std::max<int64_t>(*most - used, 0));
    }
    if (group.empty() || group == "/") return memory;
  }
}

}  // namespace weft::queue
