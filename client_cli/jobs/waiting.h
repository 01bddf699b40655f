// SPDX-License-Identifier: Apache-2.0
// Explains a wait that does not end by itself.
#pragma once

#include <memory>
#include <string>

#include "client/connection.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// Returns the reason why a queued job does not start, if no device that it may use is in service or
// starting: "Waits for vulkan:0: the configuration leaves it out; ...". Returns an empty string if
// there is such a device, or if the daemon does not answer.
std::string why_nothing_takes(const std::shared_ptr<client::Connection>& connection, const v1::Job& job);

}  // namespace weft::cli
