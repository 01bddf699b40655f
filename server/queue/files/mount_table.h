// SPDX-License-Identifier: Apache-2.0
// Which file system a path lies on, as far as that can be told without asking it: one that hangs does not answer, not even stat().
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace weft::queue {

// Does not change.
class MountTable {
 public:
  // From the text of /proc/self/mountinfo. There is always "/".
  static MountTable parse(std::string_view mountinfo);

  // "/mnt/films" for "/mnt/films/a.ts", by the text alone: a symbolic link in it may lead elsewhere, see follow().
  std::string mount_of(std::string_view path) const;

  // Follows the links of an absolute path, and asks no other file system than mount_of(path): for that one it may wait. Gives the path
  // without links, or, where it leaves that file system, a path on the next one that is yet to be followed.
  std::string follow(const std::string& path) const;

 private:
  std::set<std::string, std::less<>> points_;
};

// As things are now; read again only when something was mounted. Any thread; does not wait for a file system.
std::shared_ptr<const MountTable> current_mounts();

}  // namespace weft::queue
