// SPDX-License-Identifier: Apache-2.0
// Why a job that waits will go on waiting.
#pragma once

#include <memory>
#include <string>

#include "client/connection.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// "Waits for vulkan:0: the configuration leaves it out; ..." of a queued job where no device that it may use is in service or
// starting. Empty: one is, so that the job's turn will come; or the daemon cannot be asked.
std::string why_nothing_takes(const std::shared_ptr<client::Connection>& connection, const v1::Job& job);

}  // namespace weft::cli
