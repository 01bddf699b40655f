// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_host.h"

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "base/log.h"
#include "options/texture_blocks.h"
#include "server/channel/status_message.h"
#include "server/worker/device/histogram.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/device/preparing.h"
#include "server/worker/job/rate_meter.h"
#include "server/worker/stream/stream_plan.h"
#include "server/worker/stream/stream_runner.h"

namespace weft::worker {

using google::protobuf::util::TimeUtil;
using internal::v1::FromWorker;
using internal::v1::ToWorker;

namespace {

constexpr Duration kRateWindow = std::chrono::seconds(3);

}  // namespace

// Runs a stream. Opening allocates and may compile, so it is done on the stream's thread. The
// daemon sends frames only after it has received the message that the stream has started.
class StreamHost::RunningStream final : public RunnerEvents {
 public:
  RunningStream(StreamHost& host, internal::v1::StartStream order, std::vector<channel::FileDescriptor> files)
      : host_(host),
        number_(order.stream()),
        preparing_(host.share_.loop, &opening_),
        thread_([this, order = std::move(order), files = std::move(files)]() mutable {
          run(order, std::move(files));
        }) {}
  ~RunningStream() override { stop(); }

  void frame(const internal::v1::StreamFrame& message) {
    if (StreamRunner* runner = runner_.load()) runner->add_frame(message);
  }
  void share(const internal::v1::RingLayout& layout, channel::FileDescriptor ring) {
    if (StreamRunner* runner = runner_.load()) runner->share(layout, std::move(ring));
  }
  void picture_taken(int slot) {
    if (StreamRunner* runner = runner_.load()) runner->free_picture(slot);
  }
  void input_ended() {
    if (StreamRunner* runner = runner_.load()) runner->end_input();
  }
  void stop() {
    stopped_ = true;
    preparing_.stop();
    if (StreamRunner* runner = runner_.load()) runner->stop();
  }
  bool ended() const { return ended_; }
  bool device_failed() const { return device_failed_; }
  StreamRunner* runner() const { return runner_.load(); }  // null while the stream is opened
  uint64_t number() const { return number_; }
  // Returns true if the stream has progressed since the last call (its opening, or a long frame),
  // or if it waits for a file system or for its turn on the device.
  bool lives() {
    if (const StreamRunner* runner = runner_.load()) {
      const uint64_t moves = runner->moves();
      return std::exchange(moves_, moves) != moves || runner->waits();
    }
    const uint64_t heartbeat = opening_.heartbeat;
    return std::exchange(heard_, heartbeat) != heartbeat || preparing_.waits_for_turn() ||
           opening_.file_calls.longest().has_value();
  }
  // Returns the state of the stream, or nullopt while it is opened.
  std::optional<v1::StreamSample> describe() {
    const StreamRunner* runner = runner_.load();
    if (runner == nullptr) return std::nullopt;
    v1::StreamSample sample;
    sample.set_stream(number_);
    const v1::OpenStream& order = runner->order();
    sample.set_stream_class(order.settings().stream_class());
    sample.set_owner(order.settings().owner());
    sample.set_filter(runner->filter_name());
    *sample.mutable_format() = order.format();
    if (options::carries_textures(order)) {
      sample.mutable_format()->set_width(order.texture().width());
      sample.mutable_format()->set_height(order.texture().height());
    }
    if (const Duration deadline = deadline_of(order); deadline > Duration(0))
      *sample.mutable_deadline() = TimeUtil::NanosecondsToDuration(deadline.count());
    if (is_realtime(order)) {
      const schedule::Reservation kept = runner->reservation();
      sample.set_reserved(kept.load);
      *sample.mutable_silent() = TimeUtil::NanosecondsToDuration(kept.silent.count());
    }
    sample.set_device_bytes(runner->device_bytes());
    *sample.mutable_report() = runner->report();
    sample.set_pictures_per_second(
        pictures_.update(sample.report().pictures_out(), std::chrono::steady_clock::now()));
    return sample;
  }

  void on_frame_taken(int slot) override {
    FromWorker message;
    message.mutable_stream_frame_taken()->set_stream(number_);
    message.mutable_stream_frame_taken()->set_slot(slot);
    host_.send_(message);
  }
  void on_picture(int slot, const v1::PictureFacts& facts) override {
    FromWorker message;
    message.mutable_stream_picture()->set_stream(number_);
    message.mutable_stream_picture()->set_slot(slot);
    *message.mutable_stream_picture()->mutable_facts() = facts;
    host_.send_(message);
  }

 private:
  void run(const internal::v1::StartStream& order, std::vector<channel::FileDescriptor> files) {
    const LogFields fields{.stream = number_};
    log_debug(fields, "The stream opens.");
    const TracedThread traced(host_.share_.loop.trace(), {.name = "stream", .job = {}, .stream = number_});
    StreamEnd end;
    v1::StreamReport report;
    const media::WatchFileCalls watch(&opening_.file_calls);
    auto opened = StreamRunner::open(host_.share_, order, std::move(files), *this, preparing_);
    end.status = opened.status();
    if (opened.ok()) {
      owned_ = *std::move(opened);
      runner_ = owned_.get();
      if (stopped_) owned_->stop();
      FromWorker message;
      *message.mutable_stream_started() = owned_->started_message();
      host_.send_(message);
      end = owned_->run();
      report = owned_->report();
    }
    if (end.status.ok())
      log_debug(fields, "The stream has ended.");
    else
      log_info(fields, "The stream ends: {}", message_of(end.status));
    FromWorker message;
    message.mutable_stream_stopped()->set_stream(number_);
    *message.mutable_stream_stopped()->mutable_error() = channel::to_message(end.status);
    *message.mutable_stream_stopped()->mutable_report() = report;
    host_.send_(message);
    device_failed_ = end.device_failed;
    ended_ = true;
  }

  StreamHost& host_;
  const uint64_t number_;
  RateMeter pictures_{kRateWindow};
  JobMeter opening_;
  uint64_t heard_ = 0;  // heartbeat of the opening at the last check
  uint64_t moves_ = 0;  // progress counter of the frames at the last check
  Preparing preparing_;
  std::unique_ptr<StreamRunner> owned_;
  std::atomic<StreamRunner*> runner_{nullptr};  // null until the stream is open
  std::atomic<bool> stopped_{false};
  std::atomic<bool> ended_{false};
  std::atomic<bool> device_failed_{false};
  // last member, so that the thread ends before the members it uses are destroyed
  std::jthread thread_;
};

StreamHost::StreamHost(const DeviceShare& share, Send send) : share_(share), send_(std::move(send)) {
  for (const v1::StreamClass each : {v1::STREAM_CLASS_REALTIME, v1::STREAM_CLASS_NORMAL})
    latencies_[each] = StreamMeter::no_latencies();
}
StreamHost::~StreamHost() = default;

bool StreamHost::handle(const ToWorker& message, std::vector<channel::FileDescriptor>& descriptors) {
  const auto with = [this](uint64_t number, auto action) {
    const auto found = streams_.find(number);
    if (found != streams_.end()) action(*found->second);
    return true;
  };
  switch (message.message_case()) {
    case ToWorker::kStartStream:
      streams_[message.start_stream().stream()] =
          std::make_unique<RunningStream>(*this, message.start_stream(), std::move(descriptors));
      return true;
    case ToWorker::kStreamFrame:
      return with(message.stream_frame().stream(),
                  [&](RunningStream& stream) { stream.frame(message.stream_frame()); });
    case ToWorker::kStreamMemory:
      return with(message.stream_memory().stream(), [&](RunningStream& stream) {
        stream.share(message.stream_memory().layout(),
                     descriptors.empty() ? channel::FileDescriptor() : std::move(descriptors.front()));
      });
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

bool StreamHost::supervise() {
  bool device_failed = false;
  for (auto each = streams_.begin(); each != streams_.end();) {
    RunningStream& stream = *each->second;
    if (!stream.ended()) {
      ++each;
      continue;
    }
    count(stream, past_);
    take_counts(stream);
    device_failed |= stream.device_failed();
    each = streams_.erase(each);
  }
  return device_failed;
}

void StreamHost::stop_all() {
  for (auto& [number, stream] : streams_) stream->stop();
}

void StreamHost::report_waiting() {
  for (const auto& [number, stream] : streams_) {
    if (stream->ended() || !stream->lives()) continue;
    FromWorker message;
    message.mutable_stream_waiting()->set_stream(number);
    send_(message);
  }
}

void StreamHost::count(const RunningStream& stream, Totals& totals) {
  const StreamRunner* runner = stream.runner();
  if (runner == nullptr) return;
  totals.units += runner->report().frames_in();
  totals.last_batch_units = runner->last_batch_units();
}

StreamHost::Totals StreamHost::totals() const {
  Totals result = past_;
  for (const auto& [number, stream] : streams_) count(*stream, result);
  return result;
}

void StreamHost::take_counts(RunningStream& stream) {
  StreamRunner* runner = stream.runner();
  if (runner == nullptr) return;
  const auto stream_class =
      is_realtime(runner->order()) ? v1::STREAM_CLASS_REALTIME : v1::STREAM_CLASS_NORMAL;
  add(latencies_[stream_class], runner->take_latencies());
  const StreamMeter::FrameCounts frames = runner->take_frames();
  frames_done_ += frames.done;
  frames_late_ += frames.late;
  const StreamMeter::Work done = runner->take_work();
  Work& work = work_[{stream_class, runner->filter_name()}];
  work.frames += done.frames;
  work.device_time += done.device_time;
}

void StreamHost::describe(v1::DeviceSample& sample) {
  for (const auto& [number, stream] : streams_) {
    if (auto described = stream->describe()) *sample.add_streams() = *std::move(described);
    take_counts(*stream);
  }
  for (auto& [stream_class, latencies] : latencies_) {
    v1::StreamLatency& reported = *sample.add_stream_latency();
    reported.set_stream_class(stream_class);
    *reported.mutable_seconds() = take(latencies);
  }
  for (const auto& [whose, work] : std::exchange(work_, {})) {
    v1::StreamWork& reported = *sample.add_stream_work();
    reported.set_stream_class(whose.first);
    reported.set_filter(whose.second);
    reported.set_frames(work.frames);
    *reported.mutable_gpu_time() = TimeUtil::NanosecondsToDuration(work.device_time.count());
  }
  sample.mutable_schedule()->set_frames(std::exchange(frames_done_, 0));
  sample.mutable_schedule()->set_misses(std::exchange(frames_late_, 0));
}

}  // namespace weft::worker
