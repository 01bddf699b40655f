// SPDX-License-Identifier: Apache-2.0
// Fixture of a stream on a virtual clock. The test acts as the client and as the worker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "server/streams/limits.h"
#include "server/streams/stream.h"
#include "tests/set_filters.h"

namespace weft::streams {

// Returns a stream of 8x4, gray, 8 bits: a frame has 32 bytes.
inline v1::OpenStream small_stream() {
  v1::OpenStream open;
  set_filters(open, "bwdif");
  open.mutable_format()->set_width(8);
  open.mutable_format()->set_height(4);
  open.mutable_format()->set_chroma(v1::CHROMA_FORMAT_GRAY);
  open.mutable_format()->set_bit_depth(8);
  open.mutable_frame_rate()->set_numerator(25);
  open.mutable_frame_rate()->set_denominator(1);
  return open;
}
inline constexpr int kSmallFrameBytes = 32;

// Returns the worker's message for two gray pictures of that size for each frame.
inline internal::v1::StreamStarted started(int width, int height) {
  internal::v1::StreamStarted message;
  *message.mutable_format() = small_stream().format();
  message.mutable_format()->set_width(width);
  message.mutable_format()->set_height(height);
  message.mutable_picture_rate()->set_numerator(50);
  message.mutable_picture_rate()->set_denominator(1);
  return message;
}

struct SeenByWorker {
  bool started = false;
  std::string owner;
  std::optional<internal::v1::RingLayout> ring;
  bool left = false;
  std::string killed;
  std::vector<internal::v1::ToWorker> messages;
};

class TestLink final : public WorkerLink {
 public:
  explicit TestLink(SeenByWorker& seen) : seen_(seen) {}
  void start() override { seen_.started = true; }
  void send(internal::v1::ToWorker message, queue::SharedFiles files) override {
    if (message.has_stream_memory() && files != nullptr && files->size() == 1)
      seen_.ring = message.stream_memory().layout();
    else
      seen_.messages.push_back(std::move(message));
  }
  void leave() override { seen_.left = true; }
  void kill_worker(const std::string& reason) override { seen_.killed = reason; }

 private:
  SeenByWorker& seen_;
};

class StreamFixture : public ::testing::Test {
 protected:
  using Response = v1::ProcessFramesResponse;

  void make(bool local = true, const queue::Caller& caller = {}) {
    StreamSession::Keeper keeper;
    keeper.find_device = [this](const std::shared_ptr<StreamSession>& stream, const StreamPlan& plan) {
      worker_.owner = plan.open.settings().owner();
      stream->begin("cpu", std::make_unique<TestLink>(worker_));
    };
    keeper.make_ring = [](const std::shared_ptr<StreamSession>& stream, const StreamPlan& plan) {
      std::optional<v1::StreamRing> offer;
      if (stream->may_share()) offer.emplace().set_socket("/socket");
      auto files = std::make_shared<std::vector<channel::FileDescriptor>>(1);
      stream->share(*Ring::make(plan.ring_bytes()), std::move(files), offer);
    };
    stream_ = std::make_shared<StreamSession>(local, caller, StreamLimits{}, clock_, std::move(keeper));
  }
  // Sends a client's message. Returns true if the stream accepts the next message.
  bool send(const v1::ProcessFramesRequest& request) {
    welcome_ = false;
    stream_->receive(request, [this] { welcome_ = true; });
    return welcome_;
  }
  bool open(const v1::OpenStream& open) {
    v1::ProcessFramesRequest request;
    *request.mutable_open() = open;
    return send(request);
  }
  bool part(int64_t index, int64_t offset, int bytes) {
    v1::ProcessFramesRequest request;
    request.mutable_frame_part()->set_index(index);
    request.mutable_frame_part()->set_offset(offset);
    request.mutable_frame_part()->set_samples(std::string(size_t(bytes), 'x'));
    return send(request);
  }
  bool frame(int64_t index, int slot) {
    v1::ProcessFramesRequest request;
    request.mutable_frame_ready()->set_index(index);
    request.mutable_frame_ready()->set_slot(slot);
    return send(request);
  }
  bool picture_taken(int slot) {
    v1::ProcessFramesRequest request;
    request.mutable_picture_taken()->set_slot(slot);
    return send(request);
  }
  bool end_of_frames() {
    v1::ProcessFramesRequest request;
    request.mutable_end_of_frames();
    return send(request);
  }

  void worker_says(const internal::v1::FromWorker& message) { stream_->on_stream_message(message); }
  void worker_starts() {
    internal::v1::FromWorker message;
    *message.mutable_stream_started() = started(8, 4);
    worker_says(message);
  }
  void worker_takes(int slot) {
    internal::v1::FromWorker message;
    message.mutable_stream_frame_taken()->set_slot(slot);
    worker_says(message);
  }
  void worker_gives(int slot, int64_t index) {
    internal::v1::FromWorker message;
    message.mutable_stream_picture()->set_slot(slot);
    message.mutable_stream_picture()->mutable_facts()->set_index(index);
    worker_says(message);
  }
  void worker_ends() {
    internal::v1::FromWorker message;
    message.mutable_stream_stopped()->mutable_report()->set_frames_in(7);
    worker_says(message);
  }
  // Opens the stream and reads the message `opened`.
  void begin(const v1::OpenStream& request = small_stream()) {
    make();
    open(request);
    worker_starts();
    ASSERT_TRUE(next() && got_->has_opened());
  }

  // Reads one message. Returns false if there is none, or if the stream has ended (see end_).
  bool next() {
    got_.reset();
    if (asked_) return false;
    asked_ = true;
    stream_->next([this](StatusOr<std::optional<Response>> response) {
      asked_ = false;
      if (response.ok() && response->has_value())
        got_ = **std::move(response);
      else
        end_ = response.status();
    });
    return got_.has_value();
  }
  Status end() {
    while (!end_.has_value() && next()) {
    }
    return end_.value_or(unavailable("It goes on."));
  }

  VirtualClock clock_;
  SeenByWorker worker_;
  std::shared_ptr<StreamSession> stream_;
  bool welcome_ = false;
  bool asked_ = false;
  std::optional<Response> got_;
  std::optional<Status> end_;
};

}  // namespace weft::streams
