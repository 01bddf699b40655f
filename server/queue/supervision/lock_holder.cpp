// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/lock_holder.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <sys/sysmacros.h>

namespace weft::queue {
namespace {

constexpr size_t kLongestName = 15;  // longest process name in Linux

std::string name_of(pid_t process) {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
  return name;
}

// Returns the pids of the child processes of all threads of a process.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator task(fmt::format("/proc/{}/task", process), error), end;
       !error && task != end; task.increment(error)) {
    std::ifstream list(task->path() / "children");
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

// Reads the lines "Uid: real effective ..." and "Groups: ...". The owner of the folder in /proc is
// not used, since it is root for a process that may not be inspected.
void read_status(LockHolder& holder) {
  std::ifstream status(fmt::format("/proc/{}/status", holder.process));
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "Uid:") {
      uid_t real = 0;
      holder.is_seen = bool(words >> real >> holder.user);
    } else if (key == "Gid:") {
      gid_t real = 0, effective = 0;
      if (words >> real >> effective) holder.groups.push_back(effective);
    } else if (key == "Groups:") {
      for (gid_t group = 0; words >> group;) holder.groups.push_back(group);
    }
  }
}

}  // namespace

std::vector<LockHolder> holders_of(const struct stat& file, std::string_view worker) {
  const std::string file_key =
      fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  std::vector<LockHolder> holders;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(
        // Form: "1: FLOCK ADVISORY WRITE 812 fe:00:1234 0 EOF", or "1: -> FLOCK ..." for a waiting
        // process.
        line);
    std::string number, kind, advisory, access, where;
    LockHolder holder;
    words >> number >> kind >> advisory >> access >> holder.process >> where;
    if (!words || kind != "FLOCK" || where != file_key) continue;
    read_status(holder);
    holder.program = name_of(holder.process);
    for (const pid_t child : children_of(holder.process))
      holder.runs_worker = holder.runs_worker || name_of(child) == worker.substr(0, kLongestName);
    holders.push_back(std::move(holder));
  }
  return holders;
}

}  // namespace weft::queue
