// SPDX-License-Identifier: Apache-2.0
// Work folders that no job knows: left where a store was put back from a copy, or a folder could not be removed in its time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::queue {

inline constexpr const char* kWorkFolderMark = "store";  // a file in the work folder

// Notes in a work folder whose it is, so that no daemon takes another's for its own. `store_id`: of the store that has the job.
// Where it cannot be written, the folder is never taken for an orphan.
void mark_work_folder(int folder, std::string_view store_id);

// Takes the note away again.
void unmark_work_folder(int folder);

// What a daemon knows at its start.
struct KnownJobs {
  std::string store_id;
  std::vector<std::string> ids;  // sorted
  std::string before;            // ids from here on are of jobs submitted since
};

// Removes from a folder the work folders that carry the store's mark, that nobody works in, and whose job is neither known nor new.
// Gives those that were removed.
std::vector<std::string> remove_orphans(const KnownJobs& known, const std::string& folder);

}  // namespace weft::queue
