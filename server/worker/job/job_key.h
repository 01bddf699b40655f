// SPDX-License-Identifier: Apache-2.0
// Computes a key over everything that determines a job's output bytes: finished work is reused only
// by an attempt with the same key.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "server/worker/job/job_runner.h"

namespace weft::worker {

// Returns a key of 32 hexadecimal digits over all that the output's bytes depend on and that is
// known before an input is read: the specification with its defaults, the output's name if there is
// an output, sizes and modification times of the inputs (except a sequence's frames, which
// SourceJournal records), the version of Weft and `output_version`. If `first_input` is not empty,
// it replaces the size and modification time of the first input.
StatusOr<std::string> key_of(const JobOrder& order, int output_version, std::string_view first_input = {});

}  // namespace weft::worker
