// SPDX-License-Identifier: Apache-2.0
// What a job reads and writes, looked at before the job is queued. May wait for a slow file system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// An option that names a file, and its value.
struct NamedFile {
  std::string field;  // "spec.deinterlace.input"
  std::string path;   // absolute
};
struct JobPaths {
  NamedFile input;
  NamedFile output;
};
// From a specification that passed options::validate: both paths are there and absolute.
JobPaths paths_of_job(const v1::JobSpec& spec);

struct CheckedFiles {
  JobPaths paths;
  channel::FileDescriptor input;  // open for reading, a regular file that is not empty
  struct stat input_facts {};
  int64_t free_bytes = 0;    // where the output goes
  uint64_t file_system = 0;  // the number of that file system
};

// INVALID_ARGUMENT with a violation a field: input missing, unreadable, not a regular file or empty; output folder missing
// or not writable, output a folder or device or the input itself, its name too long. FAILED_PRECONDITION with a violation:
// the output is there and `overwrite` is false.
StatusOr<CheckedFiles> check_files(const v1::JobSpec& spec, bool overwrite);

// FAILED_PRECONDITION with a violation of the field: right by itself, wrong as the machine is now.
Status about_state(const std::string& field, const std::string& why);

}  // namespace weft::queue
