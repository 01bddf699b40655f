// SPDX-License-Identifier: Apache-2.0
// Which files a worker may open by their paths: the kernel's Landlock holds it to a list.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace weft::worker {

// Files and folders with all beneath them; those that are not there are left out.
struct AllowedPaths {
  std::vector<std::string> read;
  std::vector<std::string> read_write;  // what is there: devices
  std::vector<std::string> make;        // and files and folders are made, renamed and removed in them
};

// What programs, libraries, codecs and, with `has_driver`, a GPU's driver need. `cache_folder` (empty: none) is written to.
AllowedPaths paths_of_worker(bool has_driver, const std::string& cache_folder);

// For this thread and those that it starts from now on, for ever; needs PR_SET_NO_NEW_PRIVS. Files that are open stay usable. What
// Landlock does not know (times, owners, modes, truncate in kernels before 6.2) the seccomp filter refuses. UNIMPLEMENTED: the kernel has
// no Landlock, or it is switched off; UNAVAILABLE: it refuses.
Status allow_only(const AllowedPaths& paths);

}  // namespace weft::worker
