// SPDX-License-Identifier: Apache-2.0
// Work folders that no job knows: left where a store was put back from a copy, or a folder could not be removed in its time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::queue {

// Notes in a work folder whose it is, so that no daemon takes another's for its own. `store_id`: of the store that has the job.
// Where it cannot be written, the folder is never taken for an orphan.
void mark_work_folder(int folder, std::string_view store_id);

// What a daemon knows at its start.
struct KnownJobs {
  std::string store_id;
  std::vector<std::string> ids;      // sorted
  std::vector<std::string> folders;  // where their outputs go
  std::string before;                // ids from here on are of jobs submitted since
};

// Removes from those folders the work folders that carry the store's mark, that nobody works in, and whose job is neither known
// nor new. Gives those that were removed.
std::vector<std::string> remove_orphans(const KnownJobs& known);

}  // namespace weft::queue
