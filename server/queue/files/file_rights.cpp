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
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
  return id_of(facts);
}

FoundFile refused(std::string why) {
  FoundFile found;
  found.error = EACCES;
  found.why = std::move(why);
  return found;
}

// One question of a caller's, on a thread that has his ids meanwhile where it can.
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
  // By the rules: where the walk has come. Empty: all is well.
  FoundFile check_place();
  FoundFile failed(int error) const {
    FoundFile found;
    found.error = error;
    found.why = reason_of(error, rights_.caller);
    return found;
  }
  bool mode_forbids(int file, const struct stat& facts, mode_t rights) const {
    return by_mode_ != nullptr &&
           (!channel::mode_allows(*by_mode_, facts, rights) || channel::has_access_list(file));
  }
  // As access(2), for the ids that the thread has.
  int check_access(int folder, int mode) const {
    // The C library's asks for the process's ids where the kernel lacks the call.
    const long answer = ids_.are_taken() ? ::syscall(SYS_faccessat2, folder, ".", mode, AT_EACCESS)
                                         : ::faccessat(folder, ".", mode, AT_EACCESS);
    return answer == 0 ? 0 : errno;
  }

  const FileRights& rights_;
  const CallersIds ids_;
  const Credentials* const by_mode_;
  PathWalk walk_;
};

// From the folder up to "/": by what the folders are, not by their names.
FoundFile Opening::check_place() {
  struct statfs system {};
  if (::fstatfs(walk_.folder().get(), &system) != 0) return failed(errno);
  if (system.f_type == PROC_SUPER_MAGIC) return refused("lies in /proc, where nothing is a file");
  if (rights_.rules == nullptr) return {};
  const FileRules& rules = *rights_.rules;
  bool is_below_root = channel::is_own(rights_.caller) || !rules.has_roots();
  FileDescriptor above;
  int folder = walk_.folder().get();
  struct stat facts = walk_.folder_facts();
  while (true) {
    if (rules.is_own_folder(id_of(facts))) return refused("lies in a folder of the daemon's own");
    is_below_root = is_below_root || rules.is_root(id_of(facts));
    FileDescriptor next(::openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const FileId below = id_of(facts);
    if (!next.is_open() || ::fstat(next.get(), &facts) != 0) return failed(errno);
    if (id_of(facts) == below) break;
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
    found.facts = walk_.folder_facts();
    found.why = "is a folder";
    return found;
  }
  const int folder = walk_.folder().get();
  const std::string& name = walk_.name();
  // The kind first: opening a device may do things. Then again on what was really opened.
  if (::fstatat(folder, name.c_str(), &found.facts, AT_SYMLINK_NOFOLLOW) != 0) return failed(errno);
  if (FoundFile place = check_place(); !place.is_found()) return place;
  if (S_ISREG(found.facts.st_mode)) {
    found.descriptor.reset(::openat(folder, name.c_str(), kFileFlags));
    if (!found.descriptor.is_open() || ::fstat(found.descriptor.get(), &found.facts) != 0)
      return failed(errno);
  }
  if (!S_ISREG(found.facts.st_mode)) {
    found.descriptor.reset();
    found.why = "is " + kind_of_file(found.facts.st_mode);
    return found;
  }
  if (mode_forbids(found.descriptor.get(), found.facts, channel::kMayRead)) return failed(EACCES);
  if (rights_.rules != nullptr && rights_.rules->is_own_file(found.facts))
    return refused("is a file of the daemon's own");
  return found;
}

FoundFile Opening::folder(const std::string& path) {
  if (ids_.is_refused())
    return refused("cannot be opened with the caller's rights; the daemon may not take his ids");
  if (const int error = walk_.to_folder(path); error != 0) return failed(error);
  if (FoundFile place = check_place(); !place.is_found()) return place;
  FoundFile found;
  found.facts = walk_.folder_facts();
  found.descriptor.reset(::openat(walk_.folder().get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!found.descriptor.is_open()) return failed(errno);
  // Opening asks for the right to read alone.
  if (const int error = check_access(found.descriptor.get(), X_OK); error != 0) return failed(error);
  if (mode_forbids(found.descriptor.get(), found.facts, channel::kMayRead | channel::kMaySearch))
    return failed(EACCES);
  return found;
}

FoundFile Opening::target_folder(const std::string& path) {
  if (ids_.is_refused())
    return refused("cannot be opened with the caller's rights; the daemon may not take his ids");
  if (const int error = walk_.to_folder(path); error != 0) return failed(error);
  if (FoundFile place = check_place(); !place.is_found()) return place;
  if (const int error = check_access(walk_.folder().get(), W_OK | X_OK); error != 0) return failed(error);
  if (mode_forbids(walk_.folder().get(), walk_.folder_facts(), channel::kMayWrite | channel::kMaySearch))
    return failed(EACCES);
  FoundFile found;
  found.facts = walk_.folder_facts();
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

// Few files have a second name, and few files lie in these folders.
bool FileRules::is_own_file(const struct stat& facts) const {
  if (facts.st_nlink < 2) return false;
  for (const std::string& folder : own_paths_) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (id_at(entry->path().string()) == id_of(facts)) return true;
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
  const bool is_sticky = (folder.facts.st_mode & S_ISVTX) != 0;
  if (!is_sticky || channel::is_own(rights.caller) || folder.facts.st_uid == rights.caller.user())
    return true;
  struct stat facts {};
  if (::fstatat(folder.descriptor.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return true;
  return facts.st_uid == rights.caller.user();
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
