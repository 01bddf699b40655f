// SPDX-License-Identifier: Apache-2.0
// Makes the requests of jobs for several input files from one description, the same in all clients.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "options/job_kinds.h"
#include "options/option.h"
#include "weft/v1/job_service.pb.h"

namespace weft::client {

struct Draft {
  options::JobKind kind;
  // options and settings of the jobs; paths may be relative, and outputs may contain fields
  // (output_template.h)
  v1::SubmitJobRequest common{};
  std::vector<std::string> inputs{};  // absolute paths; each input becomes one job
  // output, which may contain fields; a folder means FOLDER/{stem}.{ext}
  std::string output{};
  // For kinds with several files per job: the files of one folder become one job, and a folder
  // means all its files.
  bool joins_files = false;
  size_t first_index = 1;  // value of {index} for the first input
};

// Returns the draft of a job like this one: its only request has the job's options, files and
// settings. Default values, the owner and the permission to overwrite are omitted.
// FAILED_PRECONDITION: this program does not know the kind of the job.
StatusOr<Draft> draft_of(const v1::Job& job);

// Returns the field path of the option in errors: "spec.video.output".
std::string field_name(const options::JobKind& kind, const options::Option& option);

// Returns one request per input, in order, with absolute paths. Returns INVALID_ARGUMENT for an
// invalid path or template, or for two inputs with one output; a violation names the option's field
// if possible.
StatusOr<std::vector<v1::SubmitJobRequest>> requests_of(const Draft& draft);

// Returns true if a job of the kind may have several files.
bool takes_several_files(const options::JobKind& kind);
// Returns the draft's inputs in groups: one group for each request of requests_of().
std::vector<std::vector<std::string>> inputs_by_request(const Draft& draft);

// Returns the first input file of a job, for messages, or an empty string if the job has no input.
std::string input_of(const v1::SubmitJobRequest& request);

}  // namespace weft::client
