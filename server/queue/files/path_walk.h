// SPDX-License-Identifier: Apache-2.0
// A path followed by hand, from "/" on: each folder is opened below the one before, so that nothing can be exchanged behind a check.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "server/channel/credentials.h"
#include "server/channel/file_descriptor.h"

namespace weft::queue {

// The names between slashes.
std::deque<std::string> parts_of(std::string_view path);

// On one thread, once.
class PathWalk {
 public:
  // `by_mode`: null, the kernel checks (it knows the caller's ids); else each folder's mode has to let that user pass.
  explicit PathWalk(const channel::Credentials* by_mode) : by_mode_(by_mode) {}

  // To a folder; links are followed to the end. 0, or errno; EACCES also where a mode forbids.
  int to_folder(const std::string& path);
  // To the folder that has the file, links of the file itself followed too. It may not be there.
  int to_file(const std::string& path);

  // Where it has come: the folder (O_PATH), and after to_file() the name in it.
  channel::FileDescriptor& folder() { return folder_; }
  const struct stat& folder_facts() const { return facts_; }
  const std::string& name() const { return name_; }

 private:
  int walk(const std::string& path, bool to_folder);
  int enter(const std::string& part);
  int restart();
  int follow(const std::string& part);
  int check_search() const;

  const channel::Credentials* const by_mode_;
  channel::FileDescriptor folder_;
  struct stat facts_ {};
  std::string name_;
  std::deque<std::string> rest_;
  int links_ = 0;
};

}  // namespace weft::queue
