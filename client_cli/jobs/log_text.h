// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client_cli/output/terminal.h"
#include "weft/v1/job_service.pb.h"

namespace weft::cli {

// Returns a line of a job's log with time, attempt, level and text, newline included.
std::string format_log_line(const Terminal& terminal, const v1::ReadJobLogResponse& line);

}  // namespace weft::cli
