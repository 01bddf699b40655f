// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/stream_relay.h"

#include <utility>

namespace weft::queue {
namespace {

using internal::v1::FromWorker;
using internal::v1::ToWorker;

uint64_t stream_of(const FromWorker& message) {
  switch (message.message_case()) {
    case FromWorker::kStreamStarted:
      return message.stream_started().stream();
    case FromWorker::kStreamFrameTaken:
      return message.stream_frame_taken().stream();
    case FromWorker::kStreamPicture:
      return message.stream_picture().stream();
    case FromWorker::kStreamWaiting:
      return message.stream_waiting().stream();
    default:
      return message.stream_stopped().stream();
  }
}

void set_stream(ToWorker& message, uint64_t stream) {
  switch (message.message_case()) {
    case ToWorker::kStreamFrame:
      return message.mutable_stream_frame()->set_stream(stream);
    case ToWorker::kStreamInputEnded:
      return message.mutable_stream_input_ended()->set_stream(stream);
    case ToWorker::kStreamPictureTaken:
      return message.mutable_stream_picture_taken()->set_stream(stream);
    case ToWorker::kStreamMemory:
      return message.mutable_stream_memory()->set_stream(stream);
    default:
      return message.mutable_stop_stream()->set_stream(stream);
  }
}

}  // namespace

void StreamRelay::pass(const ToWorker& message, const SharedFiles& files) {
  std::vector<int> descriptors;
  if (files != nullptr)
    for (const channel::FileDescriptor& file : *files) descriptors.push_back(file.get());
  static_cast<void>(worker_->send(message, descriptors, files).ok());
}

void StreamRelay::lose_worker(const std::string& reason) {
  worker_ = nullptr;
  for (const auto& [stream, events] : std::exchange(streams_, {})) events->on_stream_lost(reason);
}

void StreamRelay::start(const internal::v1::StartStream& order, const SharedFiles& files,
                        std::shared_ptr<StreamEvents> events) {
  if (worker_ == nullptr) return events->on_stream_lost("The device's worker is not ready.");
  ToWorker message;
  *message.mutable_start_stream() = order;
  streams_[order.stream()] = std::move(events);
  pass(message, files);
  changed_();
}

void StreamRelay::send(uint64_t stream, ToWorker message, const SharedFiles& files) {
  if (worker_ == nullptr || !streams_.contains(stream)) return;
  set_stream(message, stream);
  pass(message, files);
}

void StreamRelay::leave(uint64_t stream) {
  if (streams_.erase(stream) == 0 || worker_ == nullptr) return;
  ToWorker message;
  message.mutable_stop_stream()->set_stream(stream);
  static_cast<void>(worker_->send(message).ok());
  changed_();
}

void StreamRelay::kill_worker(uint64_t stream, const std::string& reason) {
  if (worker_ != nullptr && streams_.contains(stream)) worker_->kill(reason);
}

void StreamRelay::on_message(const FromWorker& message) {
  const auto found = streams_.find(stream_of(message));
  if (found == streams_.end()) return;  // the stream was left while the message was in flight
  const std::shared_ptr<StreamEvents> events = found->second;
  if (message.has_stream_stopped()) {
    streams_.erase(found);
    changed_();
  }
  events->on_stream_message(message);
}

}  // namespace weft::queue
