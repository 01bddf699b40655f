// SPDX-License-Identifier: Apache-2.0
// Converts Status to grpc::Status, with details as google.rpc messages.
#pragma once

#include <grpcpp/support/status.h>

#include "base/status.h"

namespace weft::rpc {

// Converts a status; the code stays the same. Payloads become the details of a google.rpc.Status,
// which clients of every language read. RESOURCE_EXHAUSTED always has a QuotaFailure, UNAVAILABLE
// and DEADLINE_EXCEEDED a RetryInfo, CANCELLED an ErrorInfo; a missing one is made from the
// message. gRPC's own errors with the last three codes have no details, so clients can distinguish
// them.
grpc::Status to_grpc(const Status& status);

}  // namespace weft::rpc
