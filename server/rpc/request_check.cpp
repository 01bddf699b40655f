// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/request_check.h"

#include "server/rpc/status.h"

namespace weft::rpc {
namespace {

namespace interception = grpc::experimental;
using Point = interception::InterceptionHookPoints;
using Type = interception::ServerRpcInfo::Type;

class RequestCheck final : public interception::Interceptor {
 public:
  void Intercept(interception::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(Point::POST_RECV_MESSAGE) && methods->GetRecvMessage() == nullptr)
      is_broken_ = true;
    if (is_broken_ && methods->QueryInterceptionHookPoint(Point::PRE_SEND_STATUS))
      methods->ModifySendStatus(
          to_grpc(invalid_argument("The request cannot be read: its bytes are no message of that kind; it "
                                   "may be of another version, or damaged.")));
    methods->Proceed();
  }

 private:
  bool is_broken_ = false;
};

class RequestChecks final : public interception::ServerInterceptorFactoryInterface {
 public:
  interception::Interceptor* CreateServerInterceptor(interception::ServerRpcInfo* call) override {
    const bool has_one_request = call->type() == Type::UNARY || call->type() == Type::SERVER_STREAMING;
    return has_one_request ? new RequestCheck() : nullptr;
  }
};

}  // namespace

std::vector<std::unique_ptr<interception::ServerInterceptorFactoryInterface>> request_checks() {
  std::vector<std::unique_ptr<interception::ServerInterceptorFactoryInterface>> checks;
  checks.push_back(std::make_unique<RequestChecks>());
  return checks;
}

}  // namespace weft::rpc
