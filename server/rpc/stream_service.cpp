// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/stream_service.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "server/rpc/status.h"

namespace weft::rpc {
namespace {

class FrameReactor;

// Refers to a call that may be over: operations after its end have no effect. gRPC forbids reads,
// and use of the context, after Finish(); a running operation therefore delays Finish().
class Call {
 public:
  Call(FrameReactor* reactor, grpc::CallbackServerContext* context) : reactor_(reactor), context_(context) {}

  void read();
  void cancel();
  void finish(grpc::Status status);

 private:
  template <class Operation>
  void run(Operation operation);

  FrameReactor* const reactor_;
  grpc::CallbackServerContext* const context_;
  std::mutex mutex_;
  int at_work_ = 0;
  bool finished_ = false;
  std::optional<grpc::Status> waiting_end_;
};

class FrameReactor final
    : public grpc::ServerBidiReactor<v1::ProcessFramesRequest, v1::ProcessFramesResponse> {
 public:
  FrameReactor(streams::Streams& streams, const Callers& callers, grpc::CallbackServerContext* context)
      : call_(std::make_shared<Call>(this, context)) {
    const bool local = is_over_unix_socket(context->peer());
    stream_ = streams.make(local, callers.find(context->peer()), [call = call_] { call->cancel(); });
    StartRead(&request_);
    send_next();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return stream_->input_ended();
    stream_->receive(request_, [call = call_] { call->read(); });
  }
  void OnWriteDone(bool ok) override {
    if (ok) return send_next();
    call_->finish(grpc::Status(grpc::StatusCode::CANCELLED, "The client is gone."));
  }
  void OnCancel() override { stream_->cancel(); }
  void OnDone() override {
    stream_->cancel();
    delete this;
  }

 private:
  friend class Call;

  void send_next() {
    stream_->next([this](StatusOr<std::optional<v1::ProcessFramesResponse>> response) {
      if (!response.ok() || !response->has_value()) return call_->finish(to_grpc(response.status()));
      response_ = **std::move(response);
      StartWrite(&response_);
    });
  }

  const std::shared_ptr<Call> call_;
  std::shared_ptr<streams::StreamSession> stream_;
  v1::ProcessFramesRequest request_;
  v1::ProcessFramesResponse response_;
};

template <class Operation>
void Call::run(Operation operation) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    at_work_++;
  }
  operation();
  std::optional<grpc::Status> end;
  {
    const std::lock_guard lock(mutex_);
    if (--at_work_ == 0) end = std::exchange(waiting_end_, std::nullopt);
  }
  if (end) reactor_->Finish(*std::move(end));
}

void Call::read() {
  run([this] { reactor_->StartRead(&reactor_->request_); });
}

void Call::cancel() {
  run([this] { context_->TryCancel(); });
}

void Call::finish(grpc::Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(finished_, true)) return;
    if (at_work_ > 0) {
      waiting_end_ = std::move(status);
      return;
    }
  }
  reactor_->Finish(std::move(status));
}

}  // namespace

grpc::ServerBidiReactor<v1::ProcessFramesRequest, v1::ProcessFramesResponse>* StreamService::ProcessFrames(
    grpc::CallbackServerContext* context) {
  return new FrameReactor(streams_, callers_, context);
}

}  // namespace weft::rpc
