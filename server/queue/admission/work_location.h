// SPDX-License-Identifier: Apache-2.0
// Checks the folder for a job's work before the job is queued. May wait for a slow file system.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "server/queue/files/file_rights.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// The folder chosen for a job's work folder, and its file system.
struct WorkLocation {
  std::string path;  // as Job.work_location
  int64_t free_bytes = 0;
  int64_t disk_bytes = 0;
  uint64_t file_system = 0;
};

// Checks the folder for the job's work: `settings.work_dir`, opened with `rights`, or else the
// `configured` folder of the daemon. Returns an empty path if both are empty. INVALID_ARGUMENT,
// with a violation: the submitter may not create files in the folder of the settings, or it is
// none. UNAVAILABLE: the daemon cannot use the configured folder at present.
StatusOr<WorkLocation> check_work_location(const v1::JobSettings& settings, const std::string& configured,
                                           const FileRights& rights);

}  // namespace weft::queue
