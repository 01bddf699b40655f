// SPDX-License-Identifier: Apache-2.0
// What jobs leave beside their outputs when their daemon is gone for good.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "weft/v1/job.pb.h"

namespace weft::cli {

// Removes the work folders of the jobs, each once no worker is in it any more; one that is still there after `patience` stays. Gives
// those that stay because they hold a finished file that could not be put in its place.
std::vector<std::string> remove_work_folders(const std::vector<v1::Job>& jobs,
                                             std::chrono::milliseconds patience);

}  // namespace weft::cli
