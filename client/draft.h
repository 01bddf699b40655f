// SPDX-License-Identifier: Apache-2.0
// What a person wants done to some files, and the requests that it means: the same in every client.
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
  // The job's options and how it is queued. Paths in it may be relative, and those of outputs may have fields
  // (output_template.h).
  v1::SubmitJobRequest common{};
  std::vector<std::string> inputs{};  // absolute; a job each
  std::string output{};               // may have fields; a folder means FOLDER/{stem}.{ext}
  // Where a job of the kind may have several files: those of one folder are one job, and a folder means all in it.
  bool joins_files = false;
};

// "spec.video.output": as errors name the option.
std::string field_name(const options::JobKind& kind, const options::Option& option);

// One an input, in their order, with absolute paths. INVALID_ARGUMENT, with a violation that names the field where it is one
// option's: a wrong path or template, two inputs with one output.
StatusOr<std::vector<v1::SubmitJobRequest>> requests_of(const Draft& draft);

// Whether a job of the draft's kind may have several files.
bool takes_several_files(const options::JobKind& kind);
// The draft's inputs by the requests that requests_of() makes of them.
std::vector<std::vector<std::string>> inputs_by_request(const Draft& draft);

// A job's input, for messages; empty where it has none.
std::string input_of(const v1::SubmitJobRequest& request);

}  // namespace weft::client
