// SPDX-License-Identifier: Apache-2.0
// Determines the file system of a path without access to that file system: a hanging file system
// blocks every access, even stat().
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace weft::queue {

// The mount points at one time. Immutable.
class MountTable {
 public:
  // Reads the text of /proc/self/mountinfo. The table always contains "/".
  static MountTable parse(std::string_view mountinfo);

  // Returns "/mnt/films" for "/mnt/films/a.ts". Only the text of the path is used; follow()
  // resolves its symbolic links.
  std::string mount_of(std::string_view path) const;

  // Follows the links of an absolute path. It accesses no other file system than mount_of(path),
  // for which it may wait. Returns the path without links, or, if a link leads to another file
  // system, a path on that file system, which is still to be followed.
  std::string follow(const std::string& path) const;

 private:
  std::set<std::string, std::less<>> points_;
};

// Returns the present mounts. They are read again only after a change. Any thread may call it; it
// does not wait for a file system.
std::shared_ptr<const MountTable> current_mounts();

}  // namespace weft::queue
