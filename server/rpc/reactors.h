// SPDX-License-Identifier: Apache-2.0
// Converts a call into a request to the queue, and its answer into the end of the call. The code
// here does not block and keeps no state.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <grpcpp/support/server_callback.h>

#include "base/status.h"
#include "server/queue/subscription.h"
#include "server/rpc/status.h"

namespace weft::rpc {

// Returns a callback that passes its value to `write`, then ends the call.
//
//   auto* reactor = context->DefaultReactor();
//   queue_.get(request->id(), answer<v1::Job>(reactor, [=](v1::Job job) {
//     *response->mutable_job() = std::move(job);
//   }));
template <class T, class Write>
std::function<void(StatusOr<T>)> answer(grpc::ServerUnaryReactor* reactor, Write write) {
  return [reactor, write = std::move(write)](StatusOr<T> value) {
    if (value.ok()) write(*std::move(value));
    reactor->Finish(to_grpc(value.status()));
  };
}

// Sends a subscription's events one message at a time: the next event is requested after gRPC has
// accepted the last one. A client that stops reading therefore causes one stored message here, and
// the subscription limits its own backlog. Deletes itself at the end of the call.
template <class Event, class Message>
class StreamReactor final : public grpc::ServerWriteReactor<Message> {
 public:
  using Source = std::shared_ptr<queue::Subscription<Event>>;
  using Convert = Message (*)(Event event);

  // `permit` is kept until the end of the call.
  StreamReactor(Source source, Convert convert, std::shared_ptr<void> permit)
      : source_(std::move(source)), convert_(convert), permit_(std::move(permit)) {
    send_next();
  }

  void OnWriteDone(bool ok) override {
    if (ok) {
      send_next();
    } else {
      this->Finish(grpc::Status(grpc::StatusCode::CANCELLED, "The client is gone."));
    }
  }
  // The callback that waits for the next event receives CANCELLED and ends the call.
  void OnCancel() override { source_->cancel(); }
  void OnDone() override {
    source_->cancel();
    delete this;
  }

 private:
  void send_next() {
    source_->next([this](StatusOr<std::optional<Event>> event) {
      if (!event.ok() || !event->has_value()) {
        this->Finish(to_grpc(event.status()));
        return;
      }
      message_ = convert_(**std::move(event));
      this->StartWrite(&message_);
    });
  }

  Source source_;
  Convert convert_;
  const std::shared_ptr<void> permit_;
  Message message_;
};

// A call that ends at once with an error. Deletes itself.
template <class Message>
class RefusedReactor final : public grpc::ServerWriteReactor<Message> {
 public:
  explicit RefusedReactor(const Status& why) { this->Finish(to_grpc(why)); }
  void OnDone() override { delete this; }
};

}  // namespace weft::rpc
