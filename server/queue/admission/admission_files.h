// SPDX-License-Identifier: Apache-2.0
// What a job reads and writes, looked at before the job is queued. May wait for a slow file system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "base/status.h"
#include "options/job_files.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/files/file_rights.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// An input, or of a sequence the folder with its frames, open for reading.
struct CheckedInput {
  channel::FileDescriptor descriptor;
  struct stat facts {};
};

// A regular file that is not empty, opened for reading. INVALID_ARGUMENT: it is none, or may not be read; `role` is what it is
// called there ("input", "kernel"). UNAVAILABLE: there are no descriptors left, or no memory. May wait for a slow file system.
StatusOr<CheckedInput> open_input(const std::string& path, std::string_view role, const FileRights& rights);

struct CheckedFiles {
  options::JobFiles named;
  std::vector<CheckedInput> inputs;  // as `named.inputs`; a file is regular and not empty
  v1::JobSpec real_paths;            // as in JobRecord
  int64_t free_bytes = 0;            // where the output goes
  int64_t disk_bytes = 0;            // there in all
  uint64_t file_system = 0;          // the number of that file system
};

// INVALID_ARGUMENT with a violation a field: an input missing, unreadable, not a regular file or empty, a sequence without a
// frame; an output's folder missing, not writable or on another file system than the first output's, an output or a frame of one
// that is a folder or device, a file that is read (any frame of the sequence, too) or another output's, its name too long, one file
// for a sequence. FAILED_PRECONDITION with a violation: an output, or a frame of it, is there and `overwrite` is false. `rights`: what
// whoever submits may not do himself is refused.
StatusOr<CheckedFiles> check_files(const v1::JobSpec& spec, bool overwrite, const FileRights& rights = {});

// FAILED_PRECONDITION with a violation of the field: right by itself, wrong as the machine is now.
Status about_state(const std::string& field, const std::string& why);

}  // namespace weft::queue
