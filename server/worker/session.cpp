// SPDX-License-Identifier: Apache-2.0
#include "server/worker/session.h"

#include <list>
#include <memory>
#include <utility>
#include <vector>

#include <google/protobuf/util/time_util.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "server/channel/status_message.h"
#include "server/worker/device/device_properties.h"
#include "server/worker/device/device_rates.h"
#include "server/worker/device/device_tuning.h"
#include "server/worker/device/external_load_probe.h"
#include "server/worker/device/readings_watch.h"
#include "server/worker/device/schedule_report.h"
#include "server/worker/device/trace_report.h"
#include "server/worker/job/job_source.h"
#include "server/worker/picture_reader.h"
#include "server/worker/probe_job.h"
#include "server/worker/running_job.h"
#include "server/worker/stream/stream_host.h"

namespace weft::worker {
namespace {

using channel::Channel;
using channel::FileDescriptor;
using google::protobuf::util::TimeUtil;
using internal::v1::FromWorker;
using internal::v1::StartJob;
using internal::v1::StopJob;
using internal::v1::ToWorker;

constexpr Duration kSampleInterval = std::chrono::seconds(1);

// Returns the processor time of all threads of this process so far.
Duration processor_time() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto time = [](const timeval& part) {
    return std::chrono::seconds(part.tv_sec) + std::chrono::microseconds(part.tv_usec);
  };
  return time(usage.ru_utime) + time(usage.ru_stime);
}

// Sends a message and waits as long as the daemon exists, even if it does not read: it may have
// been suspended. If the daemon has ended, ends the process without waiting for other threads.
void send(Channel& channel, const FromWorker& message) {
  const Status sent = channel.send(message, {}, Duration::max());
  if (sent.ok() || sent.code() == StatusCode::kInvalidArgument) return;
  log_warning("The daemon is gone; the worker ends. {}", message_of(sent));
  ::_exit(kExitDaemonGone);
}

class DeviceSession {
 public:
  // `external_watch` is null if no driver reports other programs on the device.
  DeviceSession(Channel& channel, std::unique_ptr<device::Device> device, const SessionOptions& options,
                std::unique_ptr<device::ExternalLoadWatch> external_watch)
      : channel_(channel),
        segments_at_once_(options.segments_at_once),
        scratch_folder_(options.scratch_folder),
        processors_(options.processors),
        device_(std::move(device)),
        tuning_(*device_, options.tables(),
                [this](const tuning::TuningTable& table) { report_presence(table); }),
        loop_({}, {.mode = options.external_load}),
        streams_(share(), [this](const FromWorker& message) { send(channel_, message); }) {
    if (auto source = device::open_readings(*device_); source.ok())
      readings_ = std::make_unique<ReadingsWatch>(*std::move(source));
    if (external_watch == nullptr) return;
    if (auto look = ExternalLoadProbe::open(*device_, loop_); look.ok())
      external_load_probe_ = *std::move(look);
    presence_ = std::make_unique<PresenceWatch>(
        std::move(external_watch),
        [this](const schedule::Presence& presence) { loop_.report_presence(presence); });
  }

  int run() {
    next_sample_ = std::chrono::steady_clock::now() + kSampleInterval;
    while (true) {
      ToWorker message;
      std::vector<FileDescriptor> descriptors;
      const Status received = channel_.receive(message, &descriptors, kProgressInterval);
      if (received.ok()) {
        handle(message, std::move(descriptors));
      } else if (received.code() != StatusCode::kDeadlineExceeded) {
        log_warning("The worker ends. {}", message_of(received));
        ::_exit(kExitDaemonGone);
      }
      if (const int exit = supervise_jobs(); exit >= 0) return exit;
    }
  }

 private:
  void handle(const ToWorker& message, std::vector<FileDescriptor> descriptors) {
    if (streams_.handle(message, descriptors)) return;
    switch (message.message_case()) {
      case ToWorker::kStartJob:
        start(message.start_job(), std::move(descriptors));
        break;
      case ToWorker::kStopJob:
        stop(message.stop_job());
        break;
      case ToWorker::kChangeJob:
        change(message.change_job());
        break;
      case ToWorker::kProbeJob:
        send(channel_, answer_probe(message.probe_job(), std::move(descriptors)));
        break;
      case ToWorker::kReadTrace:
        send_trace(message.read_trace(), device_->info().id, loop_,
                   [this](const FromWorker& chunk) { send(channel_, chunk); });
        break;
      case ToWorker::kShutdown:
        shutting_down_ = true;
        for (auto& job : jobs_) job->stop(internal::v1::STOP_KIND_CHECKPOINT);
        streams_.stop_all();
        break;
      default:
        break;
    }
  }

  void start(const StartJob& order, std::vector<FileDescriptor> descriptors) {
    StatusOr<std::unique_ptr<RunningJob>> job =
        shutting_down_ ? unavailable("The worker shuts down; start the job elsewhere.")
        : broken_      ? unavailable("The device is broken; the worker starts again.")
                  : RunningJob::start([this](const FromWorker& message) { send(channel_, message); }, order,
                                      std::move(descriptors), share());
    if (!job.ok()) {
      FromWorker message;
      auto& stopped = *message.mutable_job_stopped();
      stopped.set_job_id(order.job_id());
      stopped.set_attempt(order.attempt());
      *stopped.mutable_error() = channel::to_message(job.status());
      stopped.set_retriable(job.status().code() == StatusCode::kUnavailable);
      send(channel_, message);
      return;
    }
    jobs_.push_back(*std::move(job));
  }

  DeviceShare share() {
    return {*device_, loop_, caches_, true, &tuning_, segments_at_once_, scratch_folder_, processors_};
  }

  void report_presence(const tuning::TuningTable& table) {
    FromWorker message;
    *message.mutable_device_report()->mutable_tuning() = table;
    send(channel_, message);
  }

  void stop(const StopJob& order) {
    for (auto& job : jobs_)
      if (job->is(order.job_id(), order.attempt())) job->stop(order.kind());
  }

  void change(const internal::v1::ChangeJob& order) {
    for (auto& job : jobs_)
      if (job->is(order.job_id(), order.attempt()))
        job->change(change_of(order.settings(), order.owner_weight()));
  }

  // Sends progress and samples, and removes ended jobs. Returns the exit code if the session is
  // over, else -1.
  int supervise_jobs() {
    const TimePoint now = std::chrono::steady_clock::now();
    if (now - last_progress_ >= kProgressInterval) {
      last_progress_ = now;
      for (auto& job : jobs_) {
        job->report_progress(loop_, now);
        job->hurry(now);
      }
      streams_.report_waiting();
    }
    if (now >= next_sample_) sample(now);
    broken_ |= streams_.supervise();
    jobs_.remove_if([&](auto& job) {
      if (!job->ended()) return false;
      broken_ |= job->device_failed();  // valid once the job has ended
      past_units_ += job->units();
      return true;
    });
    const bool idle = jobs_.empty() && streams_.is_empty();
    // returns memory freed by jobs to the system
    if (idle && !std::exchange(was_idle_, true)) ::malloc_trim(0);
    was_idle_ = idle;
    if (broken_ && idle) return kExitDeviceBroken;
    return shutting_down_ && idle ? kExitDone : -1;
  }

  void sample(TimePoint now) {
    const StreamHost::Totals streams = streams_.totals();
    int64_t units = past_units_ + streams.units;
    int last_batch = streams.last_batch_units;
    for (auto& job : jobs_) {
      units += job->units();
      last_batch = job->last_batch().value_or(last_batch);
    }
    const Duration interval = now - (next_sample_ - kSampleInterval);
    FromWorker message;
    v1::DeviceSample& sample = *message.mutable_device_report()->mutable_sample();
    sample.set_device(device_->info().id);
    *sample.mutable_time() = TimeUtil::GetCurrentTime();
    *sample.mutable_interval() = TimeUtil::NanosecondsToDuration(interval.count());
    sample.set_memory_used_bytes(int64_t(device_->memory_used_bytes()));
    sample.set_last_batch_units(last_batch);
    sample.set_units_per_second(double(units - sampled_units_) /
                                std::chrono::duration<double>(interval).count());
    const Duration processed = processor_time();
    sample.set_processors(std::chrono::duration<double>(processed - sampled_processor_time_) / interval);
    sampled_processor_time_ = processed;
    *sample.mutable_schedule() = report_.take();
    const v1::ScheduleSample& schedule = sample.schedule();
    *sample.mutable_busy() = schedule.realtime_busy() + schedule.normal_busy() + schedule.spare_busy();
    streams_.describe(sample);
    if (const auto readings = readings_ ? readings_->latest(now) : std::nullopt)
      *sample.mutable_readings() = to_message(*readings);
    send(channel_, message);
    sampled_units_ = units;
    next_sample_ = now + kSampleInterval;
  }

  Channel& channel_;
  const int segments_at_once_;
  const std::string scratch_folder_;
  const std::vector<int> processors_;
  std::unique_ptr<device::Device> device_;
  DeviceTuning tuning_;
  DeviceLoop loop_;
  filters::DeviceCaches caches_;
  ScheduleReport report_{loop_};
  std::list<std::unique_ptr<RunningJob>> jobs_;
  StreamHost streams_;
  bool shutting_down_ = false;
  bool broken_ = false;  // whether the device failed during a job or stream
  bool was_idle_ = true;
  TimePoint last_progress_{}, next_sample_{};
  int64_t past_units_ = 0;     // units of ended jobs
  int64_t sampled_units_ = 0;  // units at the last sample
  Duration sampled_processor_time_ = processor_time();
  std::unique_ptr<ExternalLoadProbe> external_load_probe_;
  std::unique_ptr<PresenceWatch> presence_;
  std::unique_ptr<ReadingsWatch> readings_;  // null if no driver reports readings
};

// Opens the device and tests it. `first_load` receives the time of the first load of a kernel.
StatusOr<std::unique_ptr<device::Device>> open_tested(const SessionOptions& options, Duration& first_load) {
  ASSIGN_OR_RETURN(auto device, device::open_device(std::string_view(options.device_id), options.open));
  const TimePoint begin = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(device::load_first_kernel(*device));
  first_load = std::chrono::steady_clock::now() - begin;
  const Status tested = device::self_test(*device);
  if (!tested.ok())
    return with_context(tested, fmt::format("The self-test of device {} fails", options.device_id));
  return device;
}

}  // namespace

int run_device_session(Channel& channel, const SessionOptions& options) {
  Duration first_load{};
  StatusOr<std::unique_ptr<device::Device>> device = open_tested(options, first_load);
  FromWorker message;
  if (device.ok()) {
    v1::DeviceStatus& ready = *message.mutable_ready()->mutable_device();
    ready = to_message((*device)->info());
    *ready.mutable_first_load() = TimeUtil::NanosecondsToDuration(first_load.count());
    StatusOr<v1::DeviceRates> rates = measure_rates(**device);
    if (rates.ok())
      *message.mutable_ready()->mutable_device()->mutable_rates() = *std::move(rates);
    else
      log_warning("How fast the device is cannot be measured: {}", message_of(rates.status()));
  } else {
    message.mutable_ready()->mutable_device()->set_id(options.device_id);
    *message.mutable_ready()->mutable_error() = channel::to_message(device.status());
  }
  for (const std::string& lacking : options.not_confined)
    message.mutable_ready()->mutable_device()->add_not_confined(lacking);
  send(channel, message);
  if (!device.ok()) return kExitNoDevice;
  StatusOr<std::unique_ptr<device::ExternalLoadWatch>> external_watch =
      device::watch_external_load((*device)->info());
  if (!external_watch.ok()) log_debug("{}", message_of(external_watch.status()));
  return DeviceSession(channel, *std::move(device), options,
                       external_watch.ok() ? *std::move(external_watch) : nullptr)
      .run();
}

int run_probe_session(Channel& channel) {
  FromWorker ready;
  ready.mutable_ready();
  send(channel, ready);
  PictureReader pictures;
  while (true) {
    ToWorker message;
    std::vector<FileDescriptor> descriptors;
    const Status received = channel.receive(message, &descriptors, Duration::max());
    if (!received.ok()) return kExitDaemonGone;
    if (message.has_shutdown()) return kExitDone;
    if (message.has_probe_job())
      send(channel, answer_probe(message.probe_job(), std::move(descriptors)));
    else if (message.has_read_picture())
      send(channel, pictures.answer(message.read_picture(), std::move(descriptors)));
  }
}

}  // namespace weft::worker
