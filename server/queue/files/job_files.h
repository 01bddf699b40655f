// SPDX-License-Identifier: Apache-2.0
// A job's files while it runs: its inputs and its work folder. The job writes into the work folder; when it has ended, the finished
// files are moved to the places of the outputs. The folder lies next to the first output, so that publishing is a rename; a job
// that writes no file has it in the state folder.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "options/job_files.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/files/file_rights.h"
#include "server/queue/files/work_binding.h"
#include "weft/internal/v1/worker.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Where the work folders lie of jobs that write no file: "STATE/work".
std::string work_place_of(std::string_view state_folder);
// "/videos/.out.mkv.weft-01H..." for "/videos/out.mkv"; "STATE/work/.weft-01H..." where the job writes no file.
std::string work_folder_of(const v1::Job& job, std::string_view state_folder);

// Of what a job reads and writes, for FileThreads. May be none.
std::vector<std::string> paths_of(const v1::Job& job);

// The names in an open folder (O_PATH too), sorted, without "." and "..". PERMISSION_DENIED: it may not be read; UNAVAILABLE.
StatusOr<std::vector<std::string>> list_names(int folder);

// What a worker gets with a job.
struct OpenJob {
  std::vector<channel::FileDescriptor> inputs;  // as options::files_of_job() lists them
  channel::FileDescriptor work_folder;          // made if it is not there, for nobody but us
  bool made_folder = false;                     // it was not there
  std::string binding;                          // the name in it that binds it to the attempt
  bool inputs_changed = false;                  // one of them, or a frame of one, after the job's submit
};

// The work folder is locked (flock) for as long as a copy of its descriptor lives, which is passed to the worker: no two
// workers, not even of two daemons, have one at a time. ABORTED: another has it still, ask again soon. UNAVAILABLE and
// RESOURCE_EXHAUSTED: another try may help; other codes: not. The folder is bound to the job's
// attempt (work_binding.h); one that was not bound to the job before is refused (PERMISSION_DENIED). The store's id is noted in it
// (orphans.h); empty: nothing.
// `rights`: of whoever submitted the job. The work folder is the daemon's, whoever that is, and made only where he may make files.
StatusOr<OpenJob> open_job(const v1::Job& job, std::string_view state_folder, const StoreIdentity& store,
                           const FileRights& rights = {});

// The files that the job reads, as its paths lead now: of a sequence every frame in its folder, whatever the range. Without those that
// are gone or may not be read.
std::set<FileId> ids_of_inputs(const v1::JobSpec& spec, const FileRights& rights);

// Removes a work folder that opening has made and nobody has worked in; anything else in it stays.
void remove_unused_folder(const v1::Job& job, std::string_view state_folder, const OpenJob& open);

// Removes the work folder, if it is there; one that was exchanged for another stays. `secret`: the store's. UNAVAILABLE: some of it stays
// behind.
Status discard_job(const v1::Job& job, std::string_view state_folder, std::string_view secret);

}  // namespace weft::queue
