// SPDX-License-Identifier: Apache-2.0
// A key over what decides a job's bytes: what an attempt finished is only gone on with by an attempt of the same key.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/file.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// Of the specification with its defaults, the version of Weft and `more`. 32 hexadecimal digits.
std::string job_key(const v1::JobSpec& spec, std::string_view more);

// Size and time of change of an open file, as part of a key.
StatusOr<std::string> file_key(const media::InputFile& file);

}  // namespace weft::worker
