// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/device_lock.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "server/queue/supervision/lock_holder.h"

namespace weft::queue {

using channel::FileDescriptor;

namespace {

// every user's daemon may create files, and no user may remove another's
constexpr mode_t kFolderMode = 01777;
constexpr mode_t kOfOwner = 0600;
constexpr mode_t kOfAll = 0666;
constexpr mode_t kAllModeBits = 07777;
constexpr size_t kMaxHolderBytes = 256;
constexpr int kMostTries = 100;  // limit for a file that others replace repeatedly

Status lock_error(std::string_view what, const std::string& path) {
  return failed_precondition("{} ({}): {}; choose another --lock-dir.", what, path, std::strerror(errno));
}

// Returns the error of a file created by another user, with that user's name.
Status lock_error_of_other(std::string_view what, const std::string& path) {
  const int error = errno;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || info.st_uid == ::geteuid()) {
    errno = error;
    return lock_error(what, path);
  }
  return failed_precondition(
      "{} ({}): {}; it belongs to {}. Let root remove it, or choose another --lock-dir.", what, path,
      std::strerror(error), name_of_user(info.st_uid));
}

Status make_folder(const std::string& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) == 0) return ok_status();
  // The folder is created under another name, so that it never exists at its path with the mode
  // that the umask leaves, even if this process is killed.
  std::string made = folder + ".XXXXXX";
  if (::mkdtemp(made.data()) == nullptr)
    return lock_error("The folder of device locks cannot be made", folder);
  if (::chmod(made.c_str(), kFolderMode) == 0 &&
      ::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, folder.c_str(), RENAME_NOREPLACE) == 0)
    return ok_status();
  const int error = errno;
  ::rmdir(made.c_str());
  errno = error;
  if (error == EEXIST) return ok_status();  // another daemon has created it meanwhile
  return lock_error("The folder of device locks cannot be made", folder);
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

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_at(const std::string& path, int file) {
  struct stat there {
  }, ours{};
  return ::lstat(path.c_str(), &there) == 0 && ::fstat(file, &ours) == 0 && is_same_file(there, ours);
}

std::string path_of(const LockRequest& request) { return request.folder + "/" + lock_name(request.device); }

}  // namespace

// Takes one lock file.
class LockFile {
 public:
  LockFile(const LockRequest& request, std::string path)
      : request_(request), path_(std::move(path)), right_(right_to_use(request.device, request.nodes)) {}

  StatusOr<DeviceLock> take() {
    for (int i = 0; i < kMostTries; i++) {
      RETURN_IF_ERROR(open());
      const bool is_free = ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
      if (!is_free && errno != EWOULDBLOCK) return lock_error("A device cannot be locked", path_);
      if (::fstat(file_.get(), &info_) != 0) return lock_error("A device cannot be locked", path_);
      if (!is_at(path_, file_.get())) continue;  // it was replaced meanwhile
      const bool is_impostor = info_.st_uid != ::geteuid() && !may_use(right_, info_.st_uid);
      if (is_free && !is_impostor) return finish();
      if (!is_impostor && !request_.by_order && !is_held_without_right()) return taken();
      ASSIGN_OR_RETURN(const bool is_replaced, replace());
      if (is_replaced) return finish();
      if (can_not_replace_) return is_impostor ? impostor() : request_.by_order ? take_own() : taken();
    }
    return aborted("The device {} is taken by others again and again ({}).", request_.device.id(), path_);
  }

 private:
  // Opens without O_CREAT first: in a folder that every user may write to, the kernel refuses that
  // flag for another user's file.
  Status open() {
    constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
    while (true) {
      file_.reset(::open(path_.c_str(), kFlags));
      if (!file_.is_open() && errno == ENOENT) {
        file_.reset(::open(path_.c_str(), kFlags | O_CREAT | O_EXCL, kOfOwner));
        if (!file_.is_open() && errno == EEXIST) continue;
        if (!file_.is_open()) return lock_error("The lock of a device cannot be made", path_);
      }
      if (!file_.is_open()) return lock_error_of_other("The lock of a device cannot be opened", path_);
      open_to_those_with_the_right(file_.get());
      return ok_status();
    }
  }

  // Gives the file the permissions of the device, since the next holder may be another user. If its
  // group cannot be set, only this user may hold the lock.
  void open_to_those_with_the_right(int file) const {
    struct stat info {};
    if (::fstat(file, &info) != 0 || info.st_uid != ::geteuid()) return;
    mode_t mode = right_.is_everybodys() ? kOfAll : kOfOwner | right_.mode;
    if (!right_.is_everybodys() && info.st_gid != right_.group &&
        ::fchown(file, uid_t(-1), right_.group) != 0)
      mode = kOfOwner;
    if ((info.st_mode & kAllModeBits) != mode) ::fchmod(file, mode);
  }

  bool is_held_without_right() {
    const std::vector<LockHolder> holders = holders_of(info_, request_.worker);
    return !holders.empty() && std::ranges::none_of(holders, [&](const LockHolder& holder) {
      return !holder.is_seen || may_use(right_, holder.user, holder.groups);
    });
  }

  // Replaces the checked file by a new one, locked by this process. Returns false if another file
  // had taken its place.
  StatusOr<bool> replace() {
    std::string made = path_ + ".XXXXXX";
    FileDescriptor fresh(::mkostemp(made.data(), O_CLOEXEC));
    if (!fresh.is_open()) return lock_error("The lock of a device cannot be made", path_);
    open_to_those_with_the_right(fresh.get());
    const auto exchange = [&] {
      return ::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0;
    };
    struct stat before {};
    bool is_replaced = ::flock(fresh.get(), LOCK_EX | LOCK_NB) == 0 && exchange();
    can_not_replace_ = !is_replaced && errno != ENOENT;
    if (is_replaced && (::lstat(made.c_str(), &before) != 0 || !is_same_file(before, info_)))
      is_replaced = !exchange();
    ::unlink(made.c_str());
    if (!is_replaced) return false;
    log_warning("The lock of the device {} is taken from whoever had it ({}, a file of {}).",
                request_.device.id(), path_, name_of_user(info_.st_uid));
    file_ = std::move(fresh);
    return true;
  }

  StatusOr<DeviceLock> finish() {
    const std::string line = request_.holder.substr(0, kMaxHolderBytes - 1) + "\n";
    if (::ftruncate(file_.get(), 0) != 0 || ::pwrite(file_.get(), line.data(), line.size(), 0) < 0)
      return lock_error("The lock of a device cannot be written", path_);
    return DeviceLock(std::move(file_), path_);
  }

  // Takes a lock that only daemons of this user respect, since the machine's lock is not available.
  StatusOr<DeviceLock> take_own() {
    LockRequest own = request_;
    own.by_order = false;
    const size_t end = path_.rfind(".lock");
    return LockFile(own, fmt::format("{}-{}.lock", path_.substr(0, end), ::geteuid())).take();
  }

  Status impostor() const {
    return failed_precondition(
        "The lock of the device {} is a file of {}, who may not use the device ({}); let root remove it, or "
        "choose another --lock-dir.",
        request_.device.id(), name_of_user(info_.st_uid), path_);
  }

  Status taken() const {
    const std::string taker = read_holder(file_.get());
    std::string who;
    bool runs_worker = false;
    for (const LockHolder& holder : holders_of(info_, request_.worker)) {
      runs_worker = runs_worker || holder.runs_worker || !holder.is_seen;
      who += holder.is_seen ? fmt::format("{}process {} ({}) of {}", who.empty() ? "" : ", ", holder.process,
                                          holder.program, name_of_user(holder.user))
                            : fmt::format("{}process {}", who.empty() ? "" : ", ", holder.process);
    }
    if (!who.empty() && !runs_worker)
      return aborted(
          "The device {} is taken by {}, which runs no worker (the lock says: {}). An operator takes it by "
          "`weft "
          "resume --take {}`.",
          request_.device.id(), who, taker, request_.device.id());
    const size_t address = taker.rfind(", ");
    const std::string advice =
        address == std::string::npos
            ? ""
            : fmt::format(" (`weft --server {}` gives it jobs)", taker.substr(address + 2));
    return aborted("The device {} is taken by {}{}{}.", request_.device.id(), taker,
                   who.empty() ? "" : fmt::format("; the lock is held by {}", who), advice);
  }

  const LockRequest& request_;
  const std::string path_;
  const DeviceRight right_;
  FileDescriptor file_;
  struct stat info_ {};  // stat() of file_
  bool can_not_replace_ = false;
};

std::string lock_name(const v1::DeviceStatus& device) {
  std::string name = device.uuid().empty() ? device.id() : device.uuid();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  return name + ".lock";
}

bool DeviceLock::is_valid() const { return is_at(path_, file_.get()); }

bool is_held_without_worker(const LockRequest& request) {
  struct stat info {};
  if (::lstat(path_of(request).c_str(), &info) != 0) return false;
  const std::vector<LockHolder> holders = holders_of(info, request.worker);
  return !holders.empty() && std::ranges::none_of(holders, [](const LockHolder& holder) {
    return !holder.is_seen || holder.runs_worker;
  });
}

StatusOr<DeviceLock> DeviceLock::take(const LockRequest& request) {
  RETURN_IF_ERROR(make_folder(request.folder));
  return LockFile(request, path_of(request)).take();
}

}  // namespace weft::queue
