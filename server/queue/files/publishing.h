// SPDX-License-Identifier: Apache-2.0
// Finished files on the way from a job's work folder to their places.
//
// Before the first move a note in the work folder says which files there are, with size, inode and time. So whoever comes after a
// crash knows what is to lie in its place, and a file that is nowhere is never taken for one that was moved. The work folder goes
// last, by discard_job(), once it is durable that the job was published.
#pragma once

#include <string_view>

#include "base/status.h"
#include "server/queue/files/file_rights.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Moves the finished files of the job's newest attempt to their places, makes that durable, and sees that they are there. Repeating it
// is harmless for as long as the work folder stands. Works on file systems that know neither hard links nor a rename that does
// not replace. `secret`: the store's, which bound the work folder (work_binding.h). ALREADY_EXISTS: somebody else put a file there, and the job may not replace it. FAILED_PRECONDITION: the work
// folder is not where it was made, or what is to be replaced is an input of the job. DATA_LOSS: a finished file is neither there nor in its place. UNAVAILABLE and
// RESOURCE_EXHAUSTED: another try may help; PERMISSION_DENIED: whoever submitted the job (`rights`) may not make files there, or
// replace that one, or the work folder is not the one that the attempt worked in. No error removes a finished file. A daemon of root gives the files to whoever submitted the job.
Status publish_job(const v1::Job& job, std::string_view state_folder, std::string_view secret,
                   const FileRights& rights = {});

}  // namespace weft::queue
