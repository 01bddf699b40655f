// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream_host.h"

#include <atomic>
#include <thread>
#include <utility>

#include "base/log.h"
#include "server/channel/status_message.h"
#include "server/worker/stream_runner.h"

namespace weft::worker {

using internal::v1::FromWorker;
using internal::v1::ToWorker;

// Opening allocates, and may compile: it is done on the stream's own thread. The daemon sends frames only after it was told
// that the stream has started.
class StreamHost::RunningStream final : public StreamTells {
 public:
  RunningStream(const Send& send, device::Device& device, internal::v1::StartStream order,
                channel::FileDescriptor ring)
      : send_(send),
        number_(order.stream()),
        thread_([this, &device, order = std::move(order), memory = ring.release()] {
          run(device, order, channel::FileDescriptor(memory));
        }) {}
  ~RunningStream() override { stop(); }

  void frame(const internal::v1::StreamFrame& message) {
    if (StreamRunner* runner = runner_.load()) runner->add_frame(message);
  }
  void picture_taken(int slot) {
    if (StreamRunner* runner = runner_.load()) runner->free_picture(slot);
  }
  void input_ended() {
    if (StreamRunner* runner = runner_.load()) runner->end_input();
  }
  void stop() {
    stopped_ = true;
    if (StreamRunner* runner = runner_.load()) runner->stop();
  }
  bool ended() const { return ended_; }
  bool device_failed() const { return device_failed_; }
  Totals totals() const {
    const StreamRunner* runner = runner_.load();
    if (runner == nullptr) return {};
    const StreamMeter& meter = runner->meter();
    return {meter.device_ns, meter.frames_in, meter.last_batch_units};
  }

  void on_frame_taken(int slot) override {
    FromWorker message;
    message.mutable_stream_frame_taken()->set_stream(number_);
    message.mutable_stream_frame_taken()->set_slot(slot);
    send_(message);
  }
  void on_picture(int slot, const v1::PictureFacts& facts) override {
    FromWorker message;
    message.mutable_stream_picture()->set_stream(number_);
    message.mutable_stream_picture()->set_slot(slot);
    *message.mutable_stream_picture()->mutable_facts() = facts;
    send_(message);
  }

 private:
  void run(device::Device& device, const internal::v1::StartStream& order, channel::FileDescriptor ring) {
    StreamEnd end;
    auto opened = StreamRunner::open(device, order, std::move(ring), *this);
    end.status = opened.status();
    if (opened.ok()) {
      owned_ = *std::move(opened);
      runner_ = owned_.get();
      if (stopped_) owned_->stop();
      FromWorker message;
      *message.mutable_stream_started() = owned_->facts();
      send_(message);
      end = owned_->run();
    }
    FromWorker message;
    message.mutable_stream_stopped()->set_stream(number_);
    *message.mutable_stream_stopped()->mutable_error() = channel::to_message(end.status);
    *message.mutable_stream_stopped()->mutable_report() = end.report;
    send_(message);
    device_failed_ = end.device_failed;
    ended_ = true;
  }

  const Send& send_;
  const uint64_t number_;
  std::unique_ptr<StreamRunner> owned_;
  std::atomic<StreamRunner*> runner_{nullptr};  // once it is open
  std::atomic<bool> stopped_{false};
  std::atomic<bool> ended_{false};
  std::atomic<bool> device_failed_{false};
  std::jthread thread_;  // last: ends before what it uses
};

StreamHost::StreamHost(device::Device& device, Send send) : device_(device), send_(std::move(send)) {}
StreamHost::~StreamHost() = default;

bool StreamHost::handle(const ToWorker& message, std::vector<channel::FileDescriptor>& descriptors) {
  const auto with = [this](uint64_t number, auto action) {
    const auto found = streams_.find(number);
    if (found != streams_.end()) action(*found->second);
    return true;
  };
  switch (message.message_case()) {
    case ToWorker::kStartStream:
      start(message.start_stream(),
            descriptors.size() == 1 ? std::move(descriptors[0]) : channel::FileDescriptor());
      return true;
    case ToWorker::kStreamFrame:
      return with(message.stream_frame().stream(),
                  [&](RunningStream& stream) { stream.frame(message.stream_frame()); });
    case ToWorker::kStreamPictureTaken:
      return with(message.stream_picture_taken().stream(), [&](RunningStream& stream) {
        stream.picture_taken(message.stream_picture_taken().slot());
      });
    case ToWorker::kStreamInputEnded:
      return with(message.stream_input_ended().stream(), [](RunningStream& stream) { stream.input_ended(); });
    case ToWorker::kStopStream:
      return with(message.stop_stream().stream(), [](RunningStream& stream) { stream.stop(); });
    default:
      return false;
  }
}

void StreamHost::start(const internal::v1::StartStream& order, channel::FileDescriptor ring) {
  streams_[order.stream()] = std::make_unique<RunningStream>(send_, device_, order, std::move(ring));
}

bool StreamHost::look_after() {
  bool device_failed = false;
  for (auto each = streams_.begin(); each != streams_.end();) {
    RunningStream& stream = *each->second;
    if (!stream.ended()) {
      ++each;
      continue;
    }
    const Totals totals = stream.totals();
    past_.device_ns += totals.device_ns;
    past_.units += totals.units;
    device_failed |= stream.device_failed();
    each = streams_.erase(each);
  }
  return device_failed;
}

void StreamHost::stop_all() {
  for (auto& [number, stream] : streams_) stream->stop();
}

StreamHost::Totals StreamHost::totals() const {
  Totals result = past_;
  for (const auto& [number, stream] : streams_) {
    const Totals totals = stream->totals();
    result.device_ns += totals.device_ns;
    result.units += totals.units;
    result.last_batch_units = totals.last_batch_units;
  }
  return result;
}

}  // namespace weft::worker
