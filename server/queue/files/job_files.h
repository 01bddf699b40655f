// SPDX-License-Identifier: Apache-2.0
// Opens a job's files for its run: the inputs and the work folder. The job writes into the work
// folder; after its end, the finished files are moved to the output paths. The work folder lies
// next to the first output, so that publishing is a rename, or in the folder that the job or the
// daemon's configuration names (landing.h). The work folder of a job without output files lies in
// the state folder, unless such a folder is named.
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

// Returns the folder that holds the work folders of jobs without output files: "STATE/work".
std::string work_location_of(std::string_view state_folder);
// Returns "/videos/.out.mkv.weft-01H..." for the output "/videos/out.mkv", or
// "STATE/work/.weft-01H..." for a job without output files, or such a name in Job.work_location.
std::string work_folder_of(const v1::Job& job, std::string_view state_folder);
// Returns true if the folder that contains the work folder is the daemon's choice, not the
// submitter's: the state folder, or the work_dir of the configuration.
bool is_location_of_daemon(const v1::Job& job);

// Returns the paths of a job's inputs and outputs and of its work location, for FileThreads. There
// may be none.
std::vector<std::string> paths_of(const v1::Job& job);

// Returns the paths of a job's outputs and of its work location, likewise.
std::vector<std::string> written_paths_of(const v1::Job& job);

// Returns the names in an open folder (also one opened with O_PATH), sorted, without "." and "..".
// PERMISSION_DENIED: the folder may not be read. UNAVAILABLE: another error.
StatusOr<std::vector<std::string>> list_names(int folder);

// The open files that are passed to a worker with a job.
struct OpenJob {
  std::vector<channel::FileDescriptor> inputs;  // in the order of options::files_of_job()
  // created if missing, with access for the daemon's user only
  channel::FileDescriptor work_folder;
  bool made_folder = false;  // true if the work folder was created
  // name in the work folder that binds it to the attempt
  std::string binding;
  // for a video, the owner's folder of analyses (analysis_folder.h); closed if there is none
  channel::FileDescriptor analyses;
  // True if an input, or a frame of one, changed after the job's submit.
  bool inputs_changed = false;
};

// Opens a job's inputs with `rights`, the rights of the submitter, and its work folder. The work
// folder is locked (flock) as long as a copy of its descriptor exists; a copy is passed to the
// worker. Two workers, even of two daemons, therefore never use it at the same time. The folder is
// bound to the job's attempt (work_binding.h), and the store's id, unless empty, is written into it
// (orphans.h). The work folder belongs to the daemon's user, and is created only where the
// submitter may create files. ABORTED: another worker uses it, and a retry may succeed soon.
// UNAVAILABLE, RESOURCE_EXHAUSTED: a retry may succeed. Other codes are permanent.
// PERMISSION_DENIED: also if the folder exists and was not bound to the job.
StatusOr<OpenJob> open_job(const v1::Job& job, std::string_view state_folder, const StoreIdentity& store,
                           const FileRights& rights = {});

// Opens a job's inputs, and the work folder that open_job() has bound to the newest attempt, for a
// task on another device. The folder is not locked: the lock of the attempt's own task protects it.
// ABORTED: the folder is not bound yet.
StatusOr<OpenJob> open_task(const v1::Job& job, std::string_view state_folder, const StoreIdentity& store,
                            const FileRights& rights = {});

// Opens or creates the folder `path` in the open folder `above`, in the form of a work folder of
// the job's newest attempt: private, locked, marked with the store and bound. Sets the members of
// `open` except the inputs. Errors are those of open_job().
Status open_bound_folder(int above, const std::string& path, const v1::Job& job, const StoreIdentity& store,
                         OpenJob& open);

// Returns the identities of the files that the job's input paths refer to at present, for a
// sequence those of all frames in its folder, regardless of the range. Missing and unreadable files
// are left out.
std::set<FileId> ids_of_inputs(const v1::JobSpec& spec, const FileRights& rights);

// Removes a work folder that open_job() created and that no worker used. A folder with other files
// stays.
void remove_unused_folder(const v1::Job& job, std::string_view state_folder, const OpenJob& open);

// Removes a folder that open_bound_folder() created for the job, if it exists. A folder that
// replaced it stays. `secret` is the secret of the store. UNAVAILABLE: a part of it remains.
Status remove_job_folder(const std::string& work_folder, const v1::Job& job, std::string_view secret);

// Removes the job's landing folders and then its work folder, as remove_job_folder() does.
Status discard_job(const v1::Job& job, std::string_view state_folder, std::string_view secret);

}  // namespace weft::queue
