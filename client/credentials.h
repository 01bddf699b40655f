// SPDX-License-Identifier: Apache-2.0
// Makes the gRPC credentials of a connection. Only sources of this folder include it.
#pragma once

#include <memory>

#include <grpcpp/grpcpp.h>

#include "base/status.h"
#include "client/connection.h"

namespace weft::client {

// Returns the credentials for `options`. `options.server` has the form that parse_address()
// returns. The messages of INVALID_ARGUMENT and NOT_FOUND name the invalid field of options.tls.
StatusOr<std::shared_ptr<grpc::ChannelCredentials>> credentials_of(const ConnectionOptions& options);

}  // namespace weft::client
