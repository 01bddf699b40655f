// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/path_walk.h"

#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/fsuid.h>
#include <unistd.h>

namespace weft::queue {
namespace {

constexpr int kMostPathLinks = 40;  // limit of the Linux kernel
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

std::deque<std::string> parts_of(std::string_view path) {
  std::deque<std::string> parts;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    if (slash != 0) parts.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return parts;
}

int PathWalk::to_folder(const std::string& path) { return walk(path, true); }
int PathWalk::to_file(const std::string& path) { return walk(path, false); }

int PathWalk::restart() {
  folder_.reset(::open("/", kFolderFlags));
  return folder_.is_open() && ::fstat(folder_.get(), &info_) == 0 ? 0 : errno;
}

int PathWalk::check_search() const {
  if (by_mode_ == nullptr) return 0;
  const bool may =
      channel::mode_allows(*by_mode_, info_, channel::kMaySearch) && !channel::has_access_list(folder_.get());
  return may ? 0 : EACCES;
}

int PathWalk::enter(const std::string& part) {
  channel::FileDescriptor next(::openat(folder_.get(), part.c_str(), kFolderFlags));
  if (!next.is_open() || ::fstat(next.get(), &info_) != 0) return errno;
  folder_ = std::move(next);
  return 0;
}

// Follows the link `part`. Returns 0 if it was a link; the remaining path then begins with its
// target. Returns EINVAL if it is no link.
int PathWalk::follow(const std::string& part) {
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(folder_.get(), part.c_str(), target, sizeof(target));
  if (length < 0) return errno;
  if (++links_ > kMostPathLinks) return ELOOP;
  // In a folder where every user may create links, only links of the caller and of the folder's
  // owner are followed (as with protected_symlinks).
  struct stat link {};
  const bool is_everybodys = (info_.st_mode & S_ISVTX) != 0 && (info_.st_mode & S_IWOTH) != 0;
  const uid_t walker = by_mode_ != nullptr ? by_mode_->user() : uid_t(::setfsuid(uid_t(-1)));
  if (is_everybodys && ::fstatat(folder_.get(), part.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 &&
      link.st_uid != walker && link.st_uid != info_.st_uid)
    return EACCES;
  const std::string_view text(target, size_t(length));
  std::deque<std::string> parts = parts_of(text);
  rest_.insert(rest_.begin(), parts.begin(), parts.end());
  return text.starts_with('/') ? restart() : 0;
}

int PathWalk::walk(const std::string& path, bool to_folder) {
  if (!path.starts_with('/')) return ENOENT;
  if (const int error = restart(); error != 0) return error;
  rest_ = parts_of(path);
  while (!rest_.empty()) {
    const std::string part = std::move(rest_.front());
    rest_.pop_front();
    if (part == ".") continue;
    if (const int error = check_search(); error != 0) return error;
    const bool is_file = rest_.empty() && !to_folder && part != "..";
    int error = is_file ? ENOTDIR : enter(part);
    if (error != ENOTDIR && error != ELOOP) {
      if (error != 0) return error;
      continue;
    }
    error = follow(part);
    if (error == 0) continue;
    if (is_file && (error == EINVAL || error == ENOENT)) {
      name_ = part;
      return 0;
    }
    return error == EINVAL ? ENOTDIR : error;
  }
  return to_folder ? 0 : EISDIR;
}

}  // namespace weft::queue
