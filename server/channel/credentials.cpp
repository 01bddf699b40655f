// SPDX-License-Identifier: Apache-2.0
#include "server/channel/credentials.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace weft::channel {
namespace {

constexpr const char* kAccessList = "system.posix_acl_access";
constexpr int kOwnerShift = 6;
constexpr int kGroupShift = 3;

// Returns a name of an open file. For a descriptor opened with O_PATH the kernel accepts only its
// name.
std::string name_of_open(int file) { return fmt::format("/proc/self/fd/{}", file); }

// Returns true if the answer of getxattr or lgetxattr means that a list exists.
bool reads_list(ssize_t answer) { return answer >= 0 || (errno != ENODATA && errno != EOPNOTSUPP); }

std::string what_forbids(const Credentials& credentials, const struct stat& info, bool has_list) {
  if (!mode_allows(credentials, info, kMayRead))
    return fmt::format("may not be read by whoever submits (user id {})", credentials.user());
  if (has_list) return "has an access control list, and whom that lets read is not looked up; use its mode";
  return "";
}

}  // namespace

bool is_own(const Credentials& credentials) {
  return credentials.user() == 0 || credentials.user() == ::geteuid();
}

bool mode_allows(const Credentials& credentials, const struct stat& info, mode_t rights) {
  mode_t mode = info.st_mode;
  if (info.st_uid == credentials.user())
    mode >>= kOwnerShift;
  else if (info.st_gid == credentials.group() ||
           std::count(credentials.groups().begin(), credentials.groups().end(), info.st_gid) > 0)
    mode >>= kGroupShift;
  return (mode & rights) == rights;
}

bool has_access_list(int file) {
  return reads_list(::getxattr(name_of_open(file).c_str(), kAccessList, nullptr, 0));
}

std::string what_forbids_frame(const Credentials& credentials, int folder, const std::string& name) {
  struct stat info {};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return fmt::format("cannot be used ({})", std::strerror(errno));
  if (S_ISLNK(info.st_mode)) return "is a symbolic link, which only jobs of the daemon's own user may read";
  const std::string path = fmt::format("{}/{}", name_of_open(folder), name);
  return what_forbids(credentials, info, reads_list(::lgetxattr(path.c_str(), kAccessList, nullptr, 0)));
}

std::string what_forbids_frame(const Credentials& credentials, int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return fmt::format("cannot be used ({})", std::strerror(errno));
  return what_forbids(credentials, info, has_access_list(file));
}

}  // namespace weft::channel
