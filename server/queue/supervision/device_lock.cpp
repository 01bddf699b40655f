// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/device_lock.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
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
constexpr mode_t kAllModeBits = 07777;
constexpr size_t kMaxHolderBytes = 256;

Status lock_error(std::string_view what, const std::string& path) {
  return failed_precondition("{} ({}): {}; choose another --lock-dir.", what, path, std::strerror(errno));
}

Status make_folder(const std::string& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) == 0) return ok_status();
  // Elsewhere first: nobody is to meet it with the mode that the umask leaves, not even after our sudden end.
  std::string made = folder + ".XXXXXX";
  if (::mkdtemp(made.data()) == nullptr)
    return lock_error("The folder of device locks cannot be made", folder);
  if (::chmod(made.c_str(), kFolderMode) == 0 &&
      ::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, folder.c_str(), RENAME_NOREPLACE) == 0)
    return ok_status();
  const int error = errno;
  ::rmdir(made.c_str());
  errno = error;
  if (error == EEXIST) return ok_status();  // another daemon was faster
  return lock_error("The folder of device locks cannot be made", folder);
}

// The next holder may be another user; a lock whose mode cannot be set works without.
void open_to_all(int file) {
  struct stat facts {};
  if (::fstat(file, &facts) == 0 && facts.st_uid == ::geteuid() &&
      (facts.st_mode & kAllModeBits) != kFileMode)
    ::fchmod(file, kFileMode);
}

// Without O_CREAT first: the kernel refuses that flag on another user's file in a folder that all may write to.
StatusOr<FileDescriptor> open_file(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  while (true) {
    FileDescriptor file(::open(path.c_str(), kFlags));
    if (file.is_open()) {
      open_to_all(file.get());
      return file;
    }
    if (errno != ENOENT) return lock_error("The lock of a device cannot be opened", path);
    file.reset(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kFileMode));
    if (file.is_open()) {
      open_to_all(file.get());
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

std::string lock_name(const v1::DeviceStatus& device) {
  std::string name = device.uuid().empty() ? device.id() : device.uuid();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  return name + ".lock";
}

StatusOr<DeviceLock> DeviceLock::take(const std::string& folder, const v1::DeviceStatus& device,
                                      const std::string& holder) {
  RETURN_IF_ERROR(make_folder(folder));
  const std::string path = folder + "/" + lock_name(device);
  ASSIGN_OR_RETURN(FileDescriptor file, open_file(path));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return lock_error("A device cannot be locked", path);
    const std::string taker = read_holder(file.get());
    const size_t address = taker.rfind(", ");
    const std::string advice =
        address == std::string::npos
            ? ""
            : fmt::format(" (`weft --server {}` gives it jobs)", taker.substr(address + 2));
    return aborted("The device {} is taken by {}{}.", device.id(), taker, advice);
  }
  const std::string line = holder.substr(0, kMaxHolderBytes - 1) + "\n";
  if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), line.data(), line.size(), 0) < 0)
    return lock_error("The lock of a device cannot be written", path);
  return DeviceLock(std::move(file));
}

}  // namespace weft::queue
