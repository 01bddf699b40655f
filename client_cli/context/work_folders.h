// SPDX-License-Identifier: Apache-2.0
// Removes the work folders of jobs after their daemon has ended permanently.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "weft/v1/job.pb.h"

namespace weft::cli {

// Removes the work folder of each job once no worker uses it. A folder that a worker still uses
// after `patience` stays. A folder with a finished file that could not be moved to its destination
// stays too. Returns the paths of the folders with finished files.
std::vector<std::string> remove_work_folders(const std::vector<v1::Job>& jobs,
                                             std::chrono::milliseconds patience);

}  // namespace weft::cli
