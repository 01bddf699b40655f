// SPDX-License-Identifier: Apache-2.0
// What a client tells apart in a Status. Payloads are google.rpc messages by their type
// ("type.googleapis.com/google.rpc.BadRequest"); options/validate.h reads the field violations.
#pragma once

#include <chrono>
#include <optional>

#include "base/status.h"

namespace weft::client {

// True when no daemon answered: nobody listens, the connection broke, or the deadline passed. The daemon's own
// "try again later" is not of these.
bool is_unreachable(const Status& status);

// When the daemon says that trying again may help.
std::optional<std::chrono::milliseconds> retry_delay(const Status& status);

// Marks an error as is_unreachable().
Status mark_unreachable(Status status);

}  // namespace weft::client
