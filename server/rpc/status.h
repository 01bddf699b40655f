// SPDX-License-Identifier: Apache-2.0
// Status to grpc::Status, with what is known in detail as google.rpc messages.
#pragma once

#include "base/status.h"

#include <grpcpp/support/status.h>

namespace weft::rpc {

// Codes are equal. Payloads become the details of a google.rpc.Status, which is where clients of every language look.
// RESOURCE_EXHAUSTED always carries a QuotaFailure and UNAVAILABLE a RetryInfo: what is missing is made from the message.
grpc::Status to_grpc(const Status& status);

}  // namespace weft::rpc
