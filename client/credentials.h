// SPDX-License-Identifier: Apache-2.0
// How a connection is secured and who asks over it. Only for the sources of this folder.
#pragma once

#include <memory>

#include <grpcpp/grpcpp.h>

#include "base/status.h"
#include "client/connection.h"

namespace weft::client {

// INVALID_ARGUMENT or NOT_FOUND says which of options.tls cannot be used. `options.server` is in the form that
// parse_address() gives.
StatusOr<std::shared_ptr<grpc::ChannelCredentials>> credentials_of(const ConnectionOptions& options);

}  // namespace weft::client
