// SPDX-License-Identifier: Apache-2.0
// What a client is told whose request is no message: gRPC by itself would say that the method is not there.
#pragma once

#include <memory>
#include <vector>

#include <grpcpp/support/server_interceptor.h>

namespace weft::rpc {

// For ServerBuilder::experimental().SetInterceptorCreators(). A request that cannot be read ends with INVALID_ARGUMENT and words.
// Of the messages of a stream gRPC does not tell a broken one from the end.
std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> request_checks();

}  // namespace weft::rpc
