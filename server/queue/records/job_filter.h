// SPDX-License-Identifier: Apache-2.0
// What a job's specification says of itself, whatever its kind, and whether a job matches a filter. Read from the
// declarations of its options, so that a new kind of job needs nothing here.
#pragma once

#include <string>
#include <vector>

#include "weft/v1/job.pb.h"
#include "weft/v1/job_service.pb.h"

namespace weft::queue {

// The files it writes, without "." and "..", what the job is for first; of a sequence with the field for the frame's number.
std::vector<std::string> outputs_of_spec(const v1::JobSpec& spec);

// The files it reads, those of its filters too, in the same form.
std::vector<std::string> inputs_of_spec(const v1::JobSpec& spec);

// Texts for the files that a job writes or reads. Two jobs clash where what one holds is among what the other looks for: a path; for a
// path that is a further file of an output (out.2.mkv of out.mkv) that too; for an output that may have such files all of them.
struct FileClaims {
  std::vector<std::string> held;
  std::vector<std::string> looked_for;
};
// `real_paths`: as JobRecord has them.
FileClaims claims_of_outputs(const v1::JobSpec& spec, const v1::JobSpec& real_paths);
FileClaims claims_of_inputs(const v1::JobSpec& spec, const v1::JobSpec& real_paths);

// Whether a job matches every given part. `with_state`: false leaves the states out.
bool matches(const v1::JobFilter& filter, const v1::Job& job, bool with_state = true);

// Whether nothing but states is asked for.
bool asks_for_states_only(const v1::JobFilter& filter);

}  // namespace weft::queue
