// SPDX-License-Identifier: Apache-2.0
// Reads properties of a job of any kind from the declarations of its options, and matches jobs with
// a filter. A new kind of job needs no change here.
#pragma once

#include <string>
#include <vector>

#include "weft/v1/job.pb.h"
#include "weft/v1/job_service.pb.h"

namespace weft::queue {

// Returns the paths of the job's output files without "." and "..", the main output first. The path
// of a sequence contains the field for the frame number.
std::vector<std::string> outputs_of_spec(const v1::JobSpec& spec);

// Returns the paths of the files that the job and its filters read, in the same form.
std::vector<std::string> inputs_of_spec(const v1::JobSpec& spec);

// Keys for the files that a job reads or writes. Two jobs conflict if a key in `held` of one is in
// `conflicting` of the other. A path is a key. A path of the form of an output part (out.2.mkv) has
// another key for its output (out.mkv), and an output that may have parts has another key for all
// of its parts.
struct FileClaims {
  std::vector<std::string> held;
  std::vector<std::string> conflicting;
};
// `real_paths` has the value of JobRecord::real_paths.
FileClaims claims_of_outputs(const v1::JobSpec& spec, const v1::JobSpec& real_paths);
FileClaims claims_of_inputs(const v1::JobSpec& spec, const v1::JobSpec& real_paths);

// Returns true if the job matches all parts that are set in the filter. If `with_state` is false,
// the filter's states are ignored.
bool matches(const v1::JobFilter& filter, const v1::Job& job, bool with_state = true);

// Returns true if the filter has no part except states.
bool asks_for_states_only(const v1::JobFilter& filter);

}  // namespace weft::queue
