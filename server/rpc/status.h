// SPDX-License-Identifier: Apache-2.0
// Status to grpc::Status, with what is known in detail as google.rpc messages.
#pragma once

#include <grpcpp/support/status.h>

#include "base/status.h"

namespace weft::rpc {

// Codes are equal. Payloads become the details of a google.rpc.Status, which is where clients of every language look.
// RESOURCE_EXHAUSTED always carries a QuotaFailure, UNAVAILABLE and DEADLINE_EXCEEDED a RetryInfo, CANCELLED an ErrorInfo: what
// is missing is made from the message. gRPC's own errors of the last three codes have no details, so clients know them apart.
grpc::Status to_grpc(const Status& status);

}  // namespace weft::rpc
