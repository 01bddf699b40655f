// SPDX-License-Identifier: Apache-2.0
// Opens, renames, removes and lists files by their names in open folders. If the confinement of a
// process forbids it to open files by name, another process can make the calls for it.
//
//   Descriptor file(open_in(place.folder, place.name, O_RDONLY | O_CLOEXEC));
//   if (!file) return system_error(errno, "opened", place.name);
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/status.h"

namespace weft::media {

// Replaces the system's calls, with the same errors: a result of -1, and errno. Thread-safe. A name
// is relative to its folder.
class FolderCalls {
 public:
  virtual ~FolderCalls() = default;
  // Returns the descriptor.
  virtual int open(int folder, const std::string& name, int flags, mode_t mode) = 0;
  virtual int rename(int folder, const std::string& from, const std::string& to) = 0;
  // `flags` are those of unlinkat
  virtual int remove(int folder, const std::string& name, int flags) = 0;
  virtual int make_folder(int folder, const std::string& name, mode_t mode) = 0;
  virtual int examine(int folder, const std::string& name) = 0;  // 0 if the name exists
};
// Replaces the system's calls for the whole process, except for paths (AT_FDCWD). `calls` must
// exist while they are in use; null restores the system's calls. Must be called before other
// threads start.
void use_folder_calls(FolderCalls* calls);

// These behave like openat, renameat, unlinkat, mkdirat and faccessat. is_in() returns true if the
// name exists.
int open_in(int folder, const std::string& name, int flags, mode_t mode = 0);
int rename_in(int folder, const std::string& from, const std::string& to);
int remove_in(int folder, const std::string& name, int flags = 0);
int make_folder_in(int folder, const std::string& name, mode_t mode);
bool is_in(int folder, const std::string& name);

// Returns the names in the folder `name` inside `folder`, in no order; "." is `folder` itself. An
// error is that of the system's call and names `name`.
StatusOr<std::vector<std::string>> list_in(int folder, const std::string& name);

}  // namespace weft::media
