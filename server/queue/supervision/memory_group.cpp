// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/memory_group.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/channel/file_descriptor.h"

namespace weft::queue {
namespace {

constexpr const char* kOwnFolder = "/daemon";
constexpr const char* kWorkersFolder = "/workers";

std::vector<std::string> words_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(word);
  return words;
}

Status write_value(const std::string& path, const std::string& value) {
  const channel::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open() || ::write(file.get(), value.data(), value.size()) != ssize_t(value.size()))
    return failed_precondition("The kernel takes no '{}' for {}: {}.", value, path, std::strerror(errno));
  return ok_status();
}

Status make_group(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return ok_status();
  return failed_precondition("The cgroup {} cannot be made: {}.", path, std::strerror(errno));
}

}  // namespace

StatusOr<std::string> own_cgroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/")) {
      const std::string folder = "/sys/fs/cgroup" + line.substr(3);
      if (::access((folder + "/cgroup.procs").c_str(), F_OK) == 0) return folder;
    }
  return not_found("The machine has no cgroups of version 2.");
}

int64_t default_workers_memory() {
  return int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 8 * 7;
}

StatusOr<MemoryGroup> MemoryGroup::make(const std::string& folder, int64_t most_bytes) {
  const std::vector<std::string> controllers = words_in(folder + "/cgroup.controllers");
  if (std::find(controllers.begin(), controllers.end(), "memory") == controllers.end())
    return failed_precondition("The kernel counts no memory in the daemon's cgroup ({}).", folder);
  const std::string self = std::to_string(::getpid());
  for (const std::string& process : words_in(folder + "/cgroup.procs"))
    if (process != self)
      return failed_precondition("The daemon shares its cgroup ({}) with process {}.", folder, process);
  if (::access((folder + "/cgroup.subtree_control").c_str(), W_OK) != 0)
    return failed_precondition("The daemon may not divide its cgroup ({}); its unit wants Delegate=yes.",
                               folder);
  RETURN_IF_ERROR(make_group(folder + kOwnFolder));
  RETURN_IF_ERROR(write_value(folder + kOwnFolder + "/cgroup.procs", self));
  RETURN_IF_ERROR(write_value(folder + "/cgroup.subtree_control", "+memory"));
  const std::string workers = folder + kWorkersFolder;
  RETURN_IF_ERROR(make_group(workers));
  RETURN_IF_ERROR(write_value(workers + "/memory.max", std::to_string(most_bytes)));
  return MemoryGroup(workers);
}

Status MemoryGroup::add(pid_t worker) const {
  return write_value(folder_ + "/cgroup.procs", std::to_string(worker));
}

}  // namespace weft::queue
