// SPDX-License-Identifier: Apache-2.0
#include "server/streams/available_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

namespace weft::streams {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// Returns the number after a name in a file of "name number" lines, or an empty value if the name
// is missing.
std::optional<int64_t> number_of(const std::string& path, std::string_view wanted) {
  std::ifstream file(path);
  std::string name;
  int64_t value = 0;
  while (file >> name >> value) {
    if (name == wanted) return value;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

// Returns the only number of a file, or an empty value if there is no file or it contains "max".
std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

// Returns the path of the process's control group relative to the mount point of its namespace; ""
// for the root.
std::string own_group(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  constexpr std::string_view kVersion2 = "0::";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kVersion2) && line.find("/..") == std::string::npos)
      return line.substr(kVersion2.size());
  return "";
}

int64_t left_by_group(const std::string& folder) {
  const std::optional<int64_t> limit = number_in(folder + "/memory.max");
  const std::optional<int64_t> used = number_in(folder + "/memory.current");
  if (!limit || !used) return kUnlimited;
  const int64_t file_pages = number_of(folder + "/memory.stat", "inactive_file").value_or(0) +
                             number_of(folder + "/memory.stat", "active_file").value_or(0);
  return std::max<int64_t>(*limit - std::max<int64_t>(*used - file_pages, 0), 0);
}

}  // namespace

int64_t available_memory(const std::string& root) {
  const std::optional<int64_t> machine_kib = number_of(root + "/proc/meminfo", "MemAvailable:");
  int64_t available = machine_kib ? *machine_kib << 10 : kUnlimited;
  const std::string top = root + "/sys/fs/cgroup";
  std::filesystem::path group = own_group(root);
  while (true) {
    const std::string below = group == "/" ? "" : group.string();
    available = std::min(available, left_by_group(top + below));
    if (below.empty()) return available;
    group = group.parent_path();
  }
}

}  // namespace weft::streams
