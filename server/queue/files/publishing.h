// SPDX-License-Identifier: Apache-2.0
// Moves finished files from a job's work folder to their targets.
//
// Before the first move, a note in the work folder lists the files with size, inode and time. After
// a crash the note identifies the files that were moved, so that a missing file is not mistaken for
// a moved one. discard_job() removes the work folder last, after it is durable that the job was
// published. Files on another file system than their targets are copied there first (landing.h).
#pragma once

#include <string_view>

#include "base/status.h"
#include "server/queue/files/file_rights.h"
#include "server/queue/files/work_binding.h"
#include "server/queue/records/copy_report.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Moves the finished files of the job's newest attempt to their targets, makes this durable, and
// verifies their presence. It may be repeated as long as the work folder exists. It works on file
// systems without hard links and without a rename that fails instead of replacing. A daemon that
// runs as root gives the files to the submitter. The work folder was bound with the secret of
// `store` (work_binding.h). `rights` are those of the submitter. `report` receives the progress of
// copies, unless it is null. No error removes a finished file.
// - ALREADY_EXISTS: at a target is a file of another origin that the job may not replace.
// - FAILED_PRECONDITION: the work folder was moved, or the file to be replaced is an input of the
//   job.
// - DATA_LOSS: a finished file is neither in the work folder nor at its target, or differs from the
//   hash in the job's result.
// - UNAVAILABLE, RESOURCE_EXHAUSTED: a retry may succeed.
// - PERMISSION_DENIED: the submitter may not create files there or replace that file, or the work
//   folder is not the one of the attempt.
Status publish_job(const v1::Job& job, std::string_view state_folder, const StoreIdentity& store,
                   const FileRights& rights = {}, const CopyReport& report = nullptr);

}  // namespace weft::queue
