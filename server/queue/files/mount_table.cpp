// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/mount_table.h"

#include <climits>
#include <deque>
#include <mutex>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "server/channel/file_descriptor.h"
#include "server/queue/files/path_walk.h"

namespace weft::queue {
namespace {

constexpr int kMostLinks = 40;  // limit of the Linux kernel
constexpr int kMountPointField = 4;

// Decodes \ooo, the form of spaces, tabs, newlines and backslashes in mountinfo.
std::string unescape(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); i++) {
    const bool is_escape = text[i] == '\\' && i + 3 < text.size();
    if (!is_escape) {
      result += text[i];
      continue;
    }
    result += char((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return result;
}

std::string_view field_of(std::string_view line, int number) {
  for (; number > 0; number--) {
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) return {};
    line.remove_prefix(space + 1);
  }
  return line.substr(0, line.find(' '));
}

std::string join(std::string path, const std::deque<std::string>& rest) {
  for (const std::string& part : rest) path += "/" + part;
  return path.empty() ? "/" : path;
}

std::string read_all(int file) {
  std::string text;
  char bytes[16384];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t count; (count = ::read(file, bytes, sizeof(bytes))) > 0;) text.append(bytes, size_t(count));
  return text;
}

}  // namespace

MountTable MountTable::parse(std::string_view mountinfo) {
  MountTable table;
  table.points_.insert("/");
  while (!mountinfo.empty()) {
    const size_t end = mountinfo.find('\n');
    const std::string_view point = field_of(mountinfo.substr(0, end), kMountPointField);
    if (point.starts_with('/')) table.points_.insert(unescape(point));
    mountinfo.remove_prefix(end == std::string_view::npos ? mountinfo.size() : end + 1);
  }
  return table;
}

std::string MountTable::mount_of(std::string_view path) const {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  while (path.size() > 1) {
    if (points_.contains(path)) return std::string(path);
    const size_t slash = path.rfind('/');
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return "/";
}

std::string MountTable::follow(const std::string& path) const {
  const std::string mount = mount_of(path);
  // The path of a mount point has no links: mountinfo contains the resolved path.
  const std::string root = mount == "/" ? "" : mount;
  std::string done = root;
  std::deque<std::string> rest = parts_of(std::string_view(path).substr(std::min(path.size(), root.size())));
  for (int links = 0; !rest.empty() && links <= kMostLinks;) {
    const std::string part = std::move(rest.front());
    rest.pop_front();
    if (part == ".") continue;
    std::string next = done;
    if (part == "..")
      next.resize(std::min(done.rfind('/'), done.size()));
    else
      next.append("/").append(part);
    if (mount_of(next) != mount) return join(next, rest);
    char target[PATH_MAX];
    const ssize_t length =
        part == ".." || next.empty() ? -1 : ::readlink(next.c_str(), target, sizeof(target));
    if (length <= 0) {
      done = next;
      continue;
    }
    links++;
    const std::string_view link(target, size_t(length));
    std::deque<std::string> parts = parts_of(link);
    rest.insert(rest.begin(), parts.begin(), parts.end());
    if (!link.starts_with('/')) continue;
    std::string whole = join("", rest);
    if (mount_of(whole) != mount) return whole;
    done = root;
    rest = parts_of(std::string_view(whole).substr(root.size()));
  }
  return join(done, rest);
}

std::shared_ptr<const MountTable> current_mounts() {
  static std::mutex mutex;
  static const channel::FileDescriptor file(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  static std::shared_ptr<const MountTable> table;
  const std::lock_guard lock(mutex);
  pollfd changed{file.get(), POLLPRI, 0};
  if (table == nullptr || ::poll(&changed, 1, 0) > 0)
    table = std::make_shared<const MountTable>(MountTable::parse(file.is_open() ? read_all(file.get()) : ""));
  return table;
}

}  // namespace weft::queue
