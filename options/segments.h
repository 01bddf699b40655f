// SPDX-License-Identifier: Apache-2.0
// Tells the jobs that are rendered in segments.
#pragma once

#include "weft/v1/job.pb.h"

namespace weft::options {

// Returns true for jobs that work in segments of frames, which several devices can render.
bool works_in_segments(const v1::JobSpec& spec);

}  // namespace weft::options
