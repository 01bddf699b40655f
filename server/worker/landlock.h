// SPDX-License-Identifier: Apache-2.0
// Restricts the files that a worker may open by path to a list, by the kernel's Landlock.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace weft::worker {

// Files, and folders with all that they contain. Paths that do not exist are omitted.
struct AllowedPaths {
  std::vector<std::string> read;
  std::vector<std::string> read_write;  // existing files and devices, for reading and writing
  // folders with the additional right to create, rename and remove files and folders
  std::vector<std::string> make;
};

// Returns the paths that programs, libraries, codecs and, with `has_driver`, a GPU's driver need.
// `cache_folder` is writable; an empty path means no cache folder.
AllowedPaths paths_of_worker(bool has_driver, const std::string& cache_folder);

// Restricts this thread and the threads that it starts later, permanently. Requires
// PR_SET_NO_NEW_PRIVS. Open files remain usable. The seccomp filter refuses operations that
// Landlock does not cover (times, owners, modes, truncate in kernels before 6.2). UNIMPLEMENTED:
// the kernel has no Landlock, or it is disabled. UNAVAILABLE: the kernel refuses.
Status allow_only(const AllowedPaths& paths);

}  // namespace weft::worker
