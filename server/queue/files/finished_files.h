// SPDX-License-Identifier: Apache-2.0
// Lists the finished files in a job's work folder with their targets, and stores the list in a
// note, which outlives the daemon.
//
// Targets come from the job's specification alone: a note contains names, sizes and times, but no
// path.
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
  std::string name{};    // in the work folder: "finished", "finished.2", "finished/out.0001.exr"
  std::string target{};  // path to which the file is moved
  int64_t bytes = 0;
  uint64_t inode = 0;
  int64_t changed_ns = 0;  // time of the last change of its contents, since 1970

  // Returns true if `info` is of this file. File systems without inodes assign other numbers when
  // they are mounted again; the time then identifies the file.
  bool is(const struct stat& info) const;
};

// Returns a finished file with the properties `info`.
FinishedFile described(std::string name, std::string target, const struct stat& info);

// An open work folder. Its path is for messages.
struct WorkFolder {
  int descriptor = -1;
  std::string path{};
};

// Returns the finished files in the order of publishing. The main output is the last, so that its
// presence means that all outputs are present. DATA_LOSS: a file of the job is missing, or is no
// regular file.
StatusOr<std::vector<FinishedFile>> find_finished(const WorkFolder& folder, const v1::JobSpec& spec);

// Writes the note durably.
Status write_note(const WorkFolder& folder, const std::string& name, const std::vector<FinishedFile>& files);

// Returns the files of the note, or nullopt if there is no note. DATA_LOSS: the note is damaged, or
// names a file that the job does not write.
StatusOr<std::optional<std::vector<FinishedFile>>> read_note(const WorkFolder& folder,
                                                             const std::string& name,
                                                             const v1::JobSpec& spec);

}  // namespace weft::queue
