// SPDX-License-Identifier: Apache-2.0
// Classifies errors. The payloads of a Status are google.rpc messages, stored under their types
// ("type.googleapis.com/google.rpc.BadRequest"); options/validate.h reads field violations.
#pragma once

#include <chrono>
#include <optional>

#include "base/status.h"
#include "google/rpc/status.pb.h"

namespace weft::client {

// Returns true if no daemon answered: no process listens, the connection broke, or the deadline
// passed. Returns false if the daemon itself requests a later retry.
bool is_unreachable(const Status& status);

// Returns the delay that the daemon suggests before a retry, or nothing.
std::optional<std::chrono::milliseconds> retry_delay(const Status& status);

// Marks an error, so that is_unreachable() returns true for it.
Status mark_unreachable(Status status);

// Returns the error in the form that the API uses in jobs, with its google.rpc details.
google::rpc::Status to_message(const Status& status);

}  // namespace weft::client
