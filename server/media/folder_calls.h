// SPDX-License-Identifier: Apache-2.0
// Files by their names in open folders. Where a process's confinement lets it open nothing by a name, another process does so for it.
//
//   Descriptor file(open_in(place.folder, place.name, O_RDONLY | O_CLOEXEC));
//   if (!file) return system_error(errno, "opened", place.name);
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/status.h"

namespace weft::media {

// What stands for the system's calls, and fails as they do: -1, and errno. Thread-safe. A name is beneath its folder.
class FolderCalls {
 public:
  virtual ~FolderCalls() = default;
  virtual int open(int folder, const std::string& name, int flags, mode_t mode) = 0;  // the descriptor
  virtual int rename(int folder, const std::string& from, const std::string& to) = 0;
  virtual int remove(int folder, const std::string& name, int flags) = 0;  // as unlinkat's
  virtual int make_folder(int folder, const std::string& name, mode_t mode) = 0;
  virtual int examine(int folder, const std::string& name) = 0;  // 0: it is there
};
// For the whole process, from now on, except for paths (AT_FDCWD). `calls` lives as long; null: the system's. Before threads start.
void use_folder_calls(FolderCalls* calls);

// As openat, renameat, unlinkat, mkdirat and faccessat.
int open_in(int folder, const std::string& name, int flags, mode_t mode = 0);
int rename_in(int folder, const std::string& from, const std::string& to);
int remove_in(int folder, const std::string& name, int flags = 0);
int make_folder_in(int folder, const std::string& name, mode_t mode);
bool is_in(int folder, const std::string& name);

// The names in the folder that is called so in `folder` ("." is that itself), in no order. An error is the system's, about `name`.
StatusOr<std::vector<std::string>> list_in(int folder, const std::string& name);

}  // namespace weft::media
