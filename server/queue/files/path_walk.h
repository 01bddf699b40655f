// SPDX-License-Identifier: Apache-2.0
// Follows a path in steps from "/": each folder is opened relative to the one above, so that
// nothing can be exchanged after its check.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "server/channel/credentials.h"
#include "server/channel/file_descriptor.h"

namespace weft::queue {

// Returns the names between slashes.
std::deque<std::string> parts_of(std::string_view path);

// Follows one path. Used once, on one thread.
class PathWalk {
 public:
  // If `by_mode` is null, the kernel checks the rights of the thread's ids. Otherwise the mode of
  // each folder must give that user the right to search it.
  explicit PathWalk(const channel::Credentials* by_mode) : by_mode_(by_mode) {}

  // Walks to a folder and follows all links. Returns 0 or an errno; EACCES also if a mode denies
  // the access.
  int to_folder(const std::string& path);
  // Walks to the folder that contains the file, and follows also links at the file's name. The file
  // need not exist. Results are as above.
  int to_file(const std::string& path);

  // The position reached: the folder (O_PATH), and after to_file() the file's name in it.
  channel::FileDescriptor& folder() { return folder_; }
  const struct stat& folder_info() const { return info_; }
  const std::string& name() const { return name_; }

 private:
  int walk(const std::string& path, bool to_folder);
  int enter(const std::string& part);
  int restart();
  int follow(const std::string& part);
  int check_search() const;

  const channel::Credentials* const by_mode_;
  channel::FileDescriptor folder_;
  struct stat info_ {};
  std::string name_;
  std::deque<std::string> rest_;
  int links_ = 0;
};

}  // namespace weft::queue
