// SPDX-License-Identifier: Apache-2.0
// A job's files while it runs: its inputs, and its work folder, what is finished in which becomes the output at the end. The folder
// lies beside the output, so that publishing is a rename; of a job that writes no file it lies in the state folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "options/job_paths.h"
#include "server/channel/file_descriptor.h"
#include "weft/internal/v1/worker.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// The finished output's name in the work folder.
inline constexpr std::string_view kFinishedName = "finished";

// Where the work folders lie of jobs that write no file: "STATE/work".
std::string work_place_of(std::string_view state_folder);
// "/videos/.out.mkv.weft-01H..." for "/videos/out.mkv"; "STATE/work/.weft-01H..." where the job writes no file.
std::string work_folder_of(const v1::Job& job, std::string_view state_folder);

// In the work folder: kFinishedName of the first output, "finished-preview" of another one.
std::string finished_name_of(const options::NamedPath& output, bool is_first);

// Of what a job reads and writes, for FileThreads. May be none.
std::vector<std::string> paths_of(const v1::Job& job);

// What workers are told of the files of a job, or a stream.
void add_inputs(const std::vector<options::NamedPath>& paths,
                google::protobuf::RepeatedPtrField<internal::v1::JobInput>& inputs);
void add_outputs(const v1::JobSpec& spec,
                 google::protobuf::RepeatedPtrField<internal::v1::JobOutput>& outputs);

struct JobFiles {
  std::vector<channel::FileDescriptor> inputs;  // as add_inputs() names them
  channel::FileDescriptor work_folder;          // made if it is not there, for nobody but us
  bool made_folder = false;                     // it was not there
};

// The work folder is locked (flock) for as long as a copy of its descriptor lives, which is passed to the worker: no two
// workers, not even of two daemons, have one at a time. ABORTED: another has it still, ask again soon. UNAVAILABLE and
// RESOURCE_EXHAUSTED: another try may help; other codes: not. `store_id` is noted in the work folder (orphans.h); empty: nothing.
StatusOr<JobFiles> open_job_files(const v1::Job& job, std::string_view state_folder,
                                  std::string_view store_id);

// Removes a work folder that opening has made and nobody has worked in; anything else in it stays.
void remove_unused_folder(const v1::Job& job, std::string_view state_folder, const JobFiles& files);

// RESOURCE_EXHAUSTED when less than `low_bytes` are free where the job writes. May wait for a slow file system.
Status check_low_disk(const v1::Job& job, std::string_view state_folder, int64_t low_bytes);

// Removes the work folder, if it is there. UNAVAILABLE: some of it stays behind.
Status discard_job(const v1::Job& job, std::string_view state_folder);

}  // namespace weft::queue
