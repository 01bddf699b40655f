// SPDX-License-Identifier: Apache-2.0
// The finished files in a job's work folder, where they go, and the note of them that outlives the daemon.
//
// Places come from the job's specification alone: a note tells names, sizes and times, and no path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "base/status.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

struct FinishedFile {
  std::string name{};   // in the work folder: "finished", "finished.2", "finished/out.0001.exr"
  std::string place{};  // the path it goes to
  int64_t bytes = 0;
  uint64_t inode = 0;
  int64_t changed_ns = 0;  // its contents, since 1970

  // File systems without inodes of their own make up others when they are mounted again; the time stays.
  bool is(const struct stat& facts) const;
};

// An open work folder and its path, for messages.
struct WorkFolder {
  int descriptor = -1;
  std::string path{};
};

// What is finished, in the order of publishing: what goes with the output comes first, so that once the output is there, everything
// is. DATA_LOSS: a file that the job writes is not there, or is none.
StatusOr<std::vector<FinishedFile>> find_finished(const WorkFolder& folder, const v1::JobSpec& spec);

// Writes the note durably.
Status write_note(const WorkFolder& folder, const std::string& name, const std::vector<FinishedFile>& files);

// nullopt: there is none. DATA_LOSS: it is damaged, or names a file that the job does not write.
StatusOr<std::optional<std::vector<FinishedFile>>> read_note(const WorkFolder& folder,
                                                             const std::string& name,
                                                             const v1::JobSpec& spec);

}  // namespace weft::queue
