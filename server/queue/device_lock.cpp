// SPDX-License-Identifier: Apache-2.0
#include "server/queue/device_lock.h"

#include <cctype>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::queue {
namespace {

using channel::FileDescriptor;

constexpr mode_t kFolderMode = 01777;  // every user's daemon, and none may remove another's file
constexpr mode_t kFileMode = 0666;     // the next holder, perhaps another user, writes its name
constexpr size_t kMaxHolderBytes = 256;

Status lock_error(std::string_view what, const std::string& path) {
  return failed_precondition("{} ({}): {}; choose another --lock-dir.", what, path, std::strerror(errno));
}

Status make_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), kFolderMode) == 0) {
    if (::chmod(folder.c_str(), kFolderMode) != 0)
      return lock_error("The mode of the folder of device locks cannot be set", folder);
    return ok_status();
  }
  if (errno != EEXIST) return lock_error("The folder of device locks cannot be made", folder);
  return ok_status();
}

// Without O_CREAT first: the kernel refuses that flag on another user's file in a folder that all may write to.
StatusOr<FileDescriptor> open_file(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  while (true) {
    FileDescriptor file(::open(path.c_str(), kFlags));
    if (file.is_open()) return file;
    if (errno != ENOENT) return lock_error("The lock of a device cannot be opened", path);
    file.reset(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kFileMode));
    if (file.is_open()) {
      ::fchmod(file.get(), kFileMode);  // whatever the umask is; the lock works without
      return file;
    }
    if (errno != EEXIST) return lock_error("The lock of a device cannot be made", path);
  }
}

std::string read_holder(int file) {
  std::string text(kMaxHolderBytes, '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  text.resize(size_t(std::max<ssize_t>(got, 0)));
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.empty() ? "a daemon that has not said its name" : text;
}

}  // namespace

std::string lock_name(const v1::Device& device) {
  std::string name = device.uuid().empty() ? device.id() : device.uuid();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  return name + ".lock";
}

StatusOr<DeviceLock> DeviceLock::take(const std::string& folder, const v1::Device& device,
                                      const std::string& holder) {
  RETURN_IF_ERROR(make_folder(folder));
  const std::string path = folder + "/" + lock_name(device);
  ASSIGN_OR_RETURN(FileDescriptor file, open_file(path));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return lock_error("A device cannot be locked", path);
    return aborted("The device {} is taken by {}.", device.id(), read_holder(file.get()));
  }
  const std::string line = holder.substr(0, kMaxHolderBytes - 1) + "\n";
  if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), line.data(), line.size(), 0) < 0)
    return lock_error("The lock of a device cannot be written", path);
  return DeviceLock(std::move(file));
}

}  // namespace weft::queue
