// SPDX-License-Identifier: Apache-2.0
// Removes orphaned work folders. A folder is an orphan if its job is unknown because the store was
// restored from a copy, or because an earlier removal failed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::queue {

// name of the mark, a file in the work folder
inline constexpr const char* kWorkFolderMark = "store";

// Writes `store_id`, the id of the job's store, into a work folder, so that no daemon mistakes the
// folder for its own. A folder without this mark is never removed as an orphan.
void mark_work_folder(int folder, std::string_view store_id);

// Removes the mark.
void unmark_work_folder(int folder);

// The jobs known to a daemon at its start.
struct KnownJobs {
  std::string store_id;
  std::vector<std::string> ids;  // sorted
  std::string before;            // smallest id of jobs that are submitted later
};

// Removes the work folders in `folder` that have the store's mark, are not in use, and belong to a
// job that is not known and not new. Returns their paths.
std::vector<std::string> remove_orphans(const KnownJobs& known, const std::string& folder);

}  // namespace weft::queue
