// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/file_rights.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/queue/files/callers_ids.h"
#include "server/queue/files/path_walk.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using channel::FileDescriptor;

constexpr int kFileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;

std::optional<FileId> id_at(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return id_of(info);
}

FoundFile refused(std::string why) {
  FoundFile found;
  found.error = EACCES;
  found.why = std::move(why);
  return found;
}

// One file access for a caller, on a thread that has the caller's ids if the daemon may assume
// them.
class Opening {
 public:
  explicit Opening(const FileRights& rights)
      : rights_(rights),
        ids_(rights.caller),
        by_mode_(channel::is_own(rights.caller) || ids_.are_taken() ? nullptr : &rights.caller),
        walk_(by_mode_) {}

  FoundFile file(const std::string& path);
  FoundFile folder(const std::string& path);
  FoundFile target_folder(const std::string& path);

 private:
  // Checks the position reached against the rules. Returns a FoundFile without a reason if it is
  // permitted.
  FoundFile check_location();
  FoundFile failed(int error) const {
    FoundFile found;
    found.error = error;
    found.why = reason_of(error, rights_.caller);
    return found;
  }
  bool mode_forbids(int file, const struct stat& info, mode_t rights) const {
    return by_mode_ != nullptr &&
           (!channel::mode_allows(*by_mode_, info, rights) || channel::has_access_list(file));
  }
  // Checks as access(2), for the ids of the thread.
  int check_access(int folder, int mode) const {
    // Where the kernel lacks the call, the C library's function would check the process's ids.
    const long answer = ids_.are_taken() ? ::syscall(SYS_faccessat2, folder, ".", mode, AT_EACCESS)
                                         : ::faccessat(folder, ".", mode, AT_EACCESS);
    return answer == 0 ? 0 : errno;
  }

  const FileRights& rights_;
  const CallersIds ids_;
  const Credentials* const by_mode_;
  PathWalk walk_;
};

// Follows the folders up to "/" by their identity instead of their names.
FoundFile Opening::check_location() {
  struct statfs system {};
  if (::fstatfs(walk_.folder().get(), &system) != 0) return failed(errno);
  if (system.f_type == PROC_SUPER_MAGIC) return refused("lies in /proc, where nothing is a file");
  if (rights_.rules == nullptr) return {};
  const FileRules& rules = *rights_.rules;
  bool is_below_root = channel::is_own(rights_.caller) || !rules.has_roots();
  FileDescriptor above;
  int folder = walk_.folder().get();
  struct stat info = walk_.folder_info();
  while (true) {
    if (rules.is_own_folder(id_of(info))) return refused("lies in a folder of the daemon's own");
    is_below_root = is_below_root || rules.is_root(id_of(info));
    FileDescriptor next(::openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const FileId below = id_of(info);
    if (!next.is_open() || ::fstat(next.get(), &info) != 0) return failed(errno);
    if (id_of(info) == below) break;
    above = std::move(next);
    folder = above.get();
  }
  if (is_below_root) return {};
  return refused("lies below none of the folders that other users' jobs may use here (file-roots)");
}

FoundFile Opening::file(const std::string& path) {
  if (ids_.is_refused())
    return refused("cannot be opened with the caller's rights; the daemon may not take his ids");
  if (const int error = walk_.to_file(path); error != 0 && error != EISDIR) return failed(error);
  FoundFile found;
  if (walk_.name().empty()) {
    found.info = walk_.folder_info();
    found.why = "is a folder";
    return found;
  }
  const int folder = walk_.folder().get();
  const std::string& name = walk_.name();
  // The type is checked before opening, since opening a device may have effects, and again on the
  // opened file.
  if (::fstatat(folder, name.c_str(), &found.info, AT_SYMLINK_NOFOLLOW) != 0) return failed(errno);
  if (FoundFile location = check_location(); !location.is_found()) return location;
  if (S_ISREG(found.info.st_mode)) {
    found.descriptor.reset(::openat(folder, name.c_str(), kFileFlags));
    if (!found.descriptor.is_open() || ::fstat(found.descriptor.get(), &found.info) != 0)
      return failed(errno);
  }
  if (!S_ISREG(found.info.st_mode)) {
    found.descriptor.reset();
    found.why = "is " + kind_of_file(found.info.st_mode);
    return found;
  }
  if (mode_forbids(found.descriptor.get(), found.info, channel::kMayRead)) return failed(EACCES);
  if (rights_.rules != nullptr && rights_.rules->is_own_file(found.info))
    return refused("is a file of the daemon's own");
  return found;
}

FoundFile Opening::folder(const std::string& path) {
  if (ids_.is_refused())
    return refused("cannot be opened with the caller's rights; the daemon may not take his ids");
  if (const int error = walk_.to_folder(path); error != 0) return failed(error);
  if (FoundFile location = check_location(); !location.is_found()) return location;
  FoundFile found;
  found.info = walk_.folder_info();
  found.descriptor.reset(::openat(walk_.folder().get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!found.descriptor.is_open()) return failed(errno);
  // Opening requires only the right to read, listing also the right to search.
  if (const int error = check_access(found.descriptor.get(), X_OK); error != 0) return failed(error);
  if (mode_forbids(found.descriptor.get(), found.info, channel::kMayRead | channel::kMaySearch))
    return failed(EACCES);
  return found;
}

FoundFile Opening::target_folder(const std::string& path) {
  if (ids_.is_refused())
    return refused("cannot be opened with the caller's rights; the daemon may not take his ids");
  if (const int error = walk_.to_folder(path); error != 0) return failed(error);
  if (FoundFile location = check_location(); !location.is_found()) return location;
  if (const int error = check_access(walk_.folder().get(), W_OK | X_OK); error != 0) return failed(error);
  if (mode_forbids(walk_.folder().get(), walk_.folder_info(), channel::kMayWrite | channel::kMaySearch))
    return failed(EACCES);
  FoundFile found;
  found.info = walk_.folder_info();
  found.descriptor = std::move(walk_.folder());
  return found;
}

}  // namespace

FileRules::FileRules(const std::vector<std::string>& own, const std::vector<std::string>& roots)
    : own_paths_(own), has_roots_(!roots.empty()) {
  for (const std::string& path : own)
    if (const auto id = id_at(path)) own_.insert(*id);
  for (const std::string& path : roots)
    if (const auto id = id_at(path)) roots_.insert(*id);
}

// Compares with all files in these folders. Few files have a second name, and the folders contain
// few files.
bool FileRules::is_own_file(const struct stat& info) const {
  if (info.st_nlink < 2) return false;
  for (const std::string& folder : own_paths_) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (id_at(entry->path().string()) == id_of(info)) return true;
  }
  return false;
}

FoundFile open_file(const FileRights& rights, const std::string& path) { return Opening(rights).file(path); }
FoundFile open_folder(const FileRights& rights, const std::string& path) {
  return Opening(rights).folder(path);
}
FoundFile open_target_folder(const FileRights& rights, const std::string& path) {
  return Opening(rights).target_folder(path);
}

bool may_replace(const FileRights& rights, const FoundFile& folder, const std::string& name) {
  const bool is_sticky = (folder.info.st_mode & S_ISVTX) != 0;
  if (!is_sticky || channel::is_own(rights.caller) || folder.info.st_uid == rights.caller.user()) return true;
  struct stat info {};
  if (::fstatat(folder.descriptor.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return true;
  return info.st_uid == rights.caller.user();
}

std::optional<FileOwner> owner_of_new(const FileRights& rights, const struct stat& folder) {
  if (channel::is_own(rights.caller) || ::geteuid() != 0) return std::nullopt;
  const bool is_the_folders = (folder.st_mode & S_ISGID) != 0;
  return FileOwner{rights.caller.user(), is_the_folders ? folder.st_gid : rights.caller.group()};
}

std::string reason_of(int error, const Credentials& caller) {
  switch (error) {
    case ENOENT:
      return "does not exist";
    case EACCES:
    case EPERM:
      if (channel::is_own(caller))
        return fmt::format("may not be used by the daemon (user id {})", ::geteuid());
      return fmt::format("may not be used by whoever submits (user id {})", caller.user());
    case ENOTDIR:
      return "has a part that is not a folder";
    case ELOOP:
      return "goes round in symbolic links";
    case ENAMETOOLONG:
      return "is too long";
    default:
      return fmt::format("cannot be used ({})", std::strerror(error));
  }
}

std::string kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "not a regular file";
}

}  // namespace weft::queue
