// SPDX-License-Identifier: Apache-2.0
#include "server/worker/landlock.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/channel/file_descriptor.h"

namespace weft::worker {
namespace {

using channel::FileDescriptor;

// The header of Debian 12 ends with version 2 of the interface.
constexpr uint64_t kTruncate = uint64_t(1) << 14;  // added in version 3
constexpr uint64_t kFirstVersion = (uint64_t(LANDLOCK_ACCESS_FS_MAKE_SYM) << 1) - 1;

constexpr uint64_t kReading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kWriting = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr uint64_t kMaking = LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                             LANDLOCK_ACCESS_FS_REFER;
constexpr uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

uint64_t known_rights(int version) {
  uint64_t rights = kFirstVersion;
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= kTruncate;
  return rights;
}

// Adds a rule. A path that does not exist is skipped.
Status allow(int rules, const std::string& path, uint64_t rights) {
  FileDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0) return ok_status();
  landlock_path_beneath_attr rule{};
  rule.allowed_access = S_ISDIR(info.st_mode) ? rights : rights & kOfFiles;
  rule.parent_fd = file.get();
  if (::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
    return unavailable("The kernel does not take a rule for {}: {}.", path, std::strerror(errno));
  // A rule applies to an inode, and /proc creates another inode once it has dropped the name. An
  // open file keeps its inode, so the descriptor stays open.
  if (path.starts_with("/proc/")) file.release();
  return ok_status();
}

// Adds the paths of an environment variable, separated by colons.
void add_paths_of(const char* variable, std::vector<std::string>& paths) {
  const char* value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (rest.starts_with('/')) paths.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
}

void add_driver(AllowedPaths& paths) {
  for (const char* path : {"/proc/driver", "/proc/modules", "/proc/devices", "/etc/nvidia", "/etc/vulkan",
                           "/etc/glvnd", "/etc/drirc"})
    paths.read.emplace_back(path);
  for (const char* variable : {"VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH",
                               "VK_ADD_LAYER_PATH", "LIBGL_DRIVERS_PATH"})
    add_paths_of(variable, paths.read);
  // CUDA's driver writes the names of its threads to /proc/self/task, and hangs without the right
  // to do so.
  paths.read_write.insert(paths.read_write.end(), {"/proc/self/task", "/dev/dri", "/dev/kfd"});
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error))
    if (entry.path().filename().string().starts_with("nvidia")) paths.read_write.push_back(entry.path());
}

}  // namespace

AllowedPaths paths_of_worker(bool has_driver, const std::string& cache_folder) {
  AllowedPaths paths;
  for (const char* path : {"/usr", "/lib", "/lib64", "/sys", "/proc/self", "/proc/cpuinfo", "/proc/meminfo",
                           "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/sys",
                           "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/etc/machine-id"})
    paths.read.emplace_back(path);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  paths.read.push_back(program);
  // the modules of kernels
  paths.read.push_back(program.parent_path().parent_path() / "lib" / "weft");
  add_paths_of("LD_LIBRARY_PATH", paths.read);
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
    paths.read_write.emplace_back(path);
  if (has_driver) add_driver(paths);
  if (!cache_folder.empty()) paths.make.push_back(cache_folder);
  if (has_driver) add_paths_of("CUDA_CACHE_PATH", paths.make);
  if (has_driver) add_paths_of("XDG_CACHE_HOME", paths.make);
  return paths;
}

Status allow_only(const AllowedPaths& paths) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return unimplemented(
        "The kernel has no Landlock, or it is switched off ({}): what the worker's user may open, it "
        "may open.",
        std::strerror(errno));
  const uint64_t known = known_rights(int(version));
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = known;
  const FileDescriptor rules(int(::syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0)));
  if (!rules.is_open()) return unavailable("The kernel makes no Landlock rules: {}.", std::strerror(errno));
  for (const std::string& path : paths.read) RETURN_IF_ERROR(allow(rules.get(), path, kReading & known));
  for (const std::string& path : paths.read_write)
    RETURN_IF_ERROR(
        allow(rules.get(), path, (kReading | kWriting) & known & ~uint64_t(LANDLOCK_ACCESS_FS_EXECUTE)));
  for (const std::string& path : paths.make)
    RETURN_IF_ERROR(allow(rules.get(), path, (kReading | kWriting | kMaking) & known));
  if (::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0)
    return unavailable("The kernel does not hold the worker to its Landlock rules: {}.",
                       std::strerror(errno));
  return ok_status();
}

}  // namespace weft::worker
