// SPDX-License-Identifier: Apache-2.0
// Reports a request that cannot be parsed. gRPC alone would report a missing method.
#pragma once

#include <memory>
#include <vector>

#include <grpcpp/support/server_interceptor.h>

namespace weft::rpc {

// Returns interceptors for ServerBuilder::experimental().SetInterceptorCreators(). A request that
// cannot be parsed ends with INVALID_ARGUMENT and a message. In a call with several requests gRPC
// does not distinguish a broken message from the end, so these are not checked.
std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> request_checks();

}  // namespace weft::rpc
