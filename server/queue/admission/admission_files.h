// SPDX-License-Identifier: Apache-2.0
// Checks a job's files before the job is queued. May wait for a slow file system.
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

// An input, open for reading: a file, or the folder with the frames of a sequence.
struct CheckedInput {
  channel::FileDescriptor descriptor;
  struct stat info {};
};

// Opens a regular file that is not empty for reading. INVALID_ARGUMENT: the path names no such
// file, or the file may not be read; `role` names the file in the message ("input", "kernel").
// UNAVAILABLE: no descriptor or memory is left. May wait for a slow file system.
StatusOr<CheckedInput> open_input(const std::string& path, std::string_view role, const FileRights& rights);

struct CheckedFiles {
  options::JobFiles named;
  // in the order of `named.inputs`; files are regular and not empty
  std::vector<CheckedInput> inputs;
  v1::JobSpec real_paths;    // for JobRecord::real_paths
  int64_t free_bytes = 0;    // free bytes of the output's file system
  int64_t disk_bytes = 0;    // size of the output's file system
  uint64_t file_system = 0;  // number of the output's file system
};

// Checks and opens a job's files with `rights`, the rights of the submitter. INVALID_ARGUMENT, with
// a violation for each field:
// - an input is missing, unreadable, not a regular file or empty, or a sequence without a frame;
// - an output's folder is missing, not writable or on another file system than the first output's;
// - an output, or a frame of it, is a folder, a device, an input (also a frame of a sequence) or
//   another output;
// - an output's name is too long, or names one file for a sequence.
// FAILED_PRECONDITION, with a violation: an output, or a frame of it, exists and `overwrite` is
// false.
StatusOr<CheckedFiles> check_files(const v1::JobSpec& spec, bool overwrite, const FileRights& rights = {});

// Returns FAILED_PRECONDITION with a violation of `field`, for a valid value that the machine's
// present state does not permit.
Status about_state(const std::string& field, const std::string& why);

}  // namespace weft::queue
