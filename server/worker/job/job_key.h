// SPDX-License-Identifier: Apache-2.0
// A key over what decides a job's bytes: what an attempt finished is only gone on with by an attempt of the same key.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "server/worker/job/job_runner.h"

namespace weft::worker {

// Over all that the output's bytes depend on and that is known before an input is read: the specification with its defaults, the
// output's name where there is one, sizes and times of change of the inputs (not of a sequence's frames: SourceJournal has those), the
// version of Weft and `output_version`. 32 hexadecimal digits.
// `first_input`: in place of size and time of change of the first input, where it is not empty.
StatusOr<std::string> key_of(const JobOrder& order, int output_version, std::string_view first_input = {});

}  // namespace weft::worker
