// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/supervisor_slot.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "options/option.h"
#include "server/channel/status_message.h"

namespace weft::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// delay of the next try to take a device of another daemon
constexpr seconds kLockRetry{1};
constexpr milliseconds kFirstRestart{100};  // after one death; doubled for each further one
constexpr seconds kLongestRestart{30};
constexpr seconds kSelfTestRetry{60};
constexpr int kMostDoublings = 16;

Duration restart_delay(int deaths) {
  const Duration delay = kFirstRestart * (1 << std::clamp(deaths - 1, 0, kMostDoublings));
  return std::min<Duration>(delay, kLongestRestart);
}

}  // namespace

DeviceSlot::DeviceSlot(WorkerSettings settings, v1::DeviceStatus device, bool used, WorkerEvents& events,
                       FileThreads& threads, const Clock& clock)
    : settings_(std::move(settings)),
      events_(events),
      threads_(threads),
      clock_(clock),
      id_(device.id()),
      device_(std::move(device)) {
  device_.set_state(used ? v1::DEVICE_STATE_STARTING : v1::DEVICE_STATE_UNUSED);
  if (!used) device_.set_reason("The configuration leaves the device out.");
}

StatusOr<std::unique_ptr<DeviceSlot>> DeviceSlot::make(WorkerSettings settings, v1::DeviceStatus device,
                                                       bool used, WorkerEvents& events, FileThreads& threads,
                                                       DiskBudget& budget, const Clock& clock) {
  std::unique_ptr<DeviceSlot> slot(
      new DeviceSlot(std::move(settings), std::move(device), used, events, threads, clock));
  ASSIGN_OR_RETURN(slot->loop_, EventLoop::start([self = slot.get()] { self->tick(); }));
  slot->attempts_ = std::make_unique<SlotAttempts>(slot->settings_, slot->device_, events, slot->clock_,
                                                   *slot->loop_, threads, budget);
  return slot;
}

DeviceSlot::~DeviceSlot() {
  if (loop_) loop_->stop();
}

void DeviceSlot::post(std::function<void(DeviceSlot&)> work) {
  loop_->post([this, work = std::move(work)] { work(*this); });
}

void DeviceSlot::report(v1::DeviceState state, const std::string& reason) {
  if (device_.state() != state || device_.reason() != reason)
    log_info({.device = id_}, "The device is {}{}{}", options::choice_name(state),
             reason.empty() ? "." : ": ", reason);
  device_.set_state(state);
  device_.set_reason(reason);
  device_.set_worker_pid(process_ ? process_->pid() : 0);
  in_service_ = state == v1::DEVICE_STATE_IN_SERVICE;
  events_.on_device(device_);
}

void DeviceSlot::begin() {
  begun_ = true;
  report(device_.state(), device_.reason());
  if (device_.state() == v1::DEVICE_STATE_STARTING) take_device();
}

// Takes the lock on a thread. An idle holder of the CPU's lock loses it after a time: every user
// may hold it, and would otherwise block other users.
void DeviceSlot::take_device() {
  if (std::exchange(takes_lock_, true)) return;
  const bool is_left_idle = device_.kind() == v1::DEVICE_KIND_CPU && idle_since_ &&
                            clock_.now() - *idle_since_ >= settings_.idle_lock_timeout;
  const LockRequest request{.folder = settings_.lock_folder,
                            .device = device_,
                            .holder = settings_.holder,
                            .worker = std::filesystem::path(settings_.arguments.front()).filename().string(),
                            .by_order = takes_by_order_ || is_left_idle};
  threads_.add({settings_.lock_folder}, [this, request, held = lock_] {
    LockAnswer answer{.lock = held, .was_by_order = request.by_order};
    // an operator may have taken the lock for another daemon
    if (held == nullptr || !held->is_valid()) {
      StatusOr<DeviceLock> lock = DeviceLock::take(request);
      answer.is_idle = !lock.ok() && is_held_without_worker(request);
      answer.lock = lock.ok() ? std::make_shared<const DeviceLock>(*std::move(lock))
                              : StatusOr<std::shared_ptr<const DeviceLock>>(lock.status());
    }
    loop_->post([this, answer] { on_lock(answer); });
  });
}

void DeviceSlot::on_lock(const LockAnswer& answer) {
  takes_lock_ = false;
  if (ending_) return;
  if (answer.lock.ok() || answer.was_by_order) takes_by_order_ = false;
  if (!answer.is_idle) idle_since_.reset();
  lock_ = answer.lock.ok() ? *answer.lock : nullptr;
  if (lock_ != nullptr) return launch();
  if (answer.is_idle && !idle_since_) idle_since_ = clock_.now();
  next_try_ = takes_by_order_ ? clock_.now() : clock_.now() + kLockRetry;
  const Status& why = answer.lock.status();
  const bool taken = why.code() == StatusCode::kAborted;
  const auto state = taken ? v1::DEVICE_STATE_TAKEN : v1::DEVICE_STATE_OUT_OF_SERVICE;
  if (device_.state() != state || device_.reason() != message_of(why)) report(state, message_of(why));
}

void DeviceSlot::take_by_order() {
  if (!begun_ || lock_ != nullptr || ending_ || device_.state() == v1::DEVICE_STATE_UNUSED) return;
  takes_by_order_ = true;
  next_try_ = clock_.now();
}

void DeviceSlot::launch() {
  std::vector<std::string> arguments = settings_.arguments;
  for (const std::string& word :
       {std::string("--device"), id_, std::string("--channel"), std::to_string(kWorkerChannelDescriptor)})
    arguments.push_back(word);
  launched_ = clock_.now();
  WorkerProcess::Events events{[this](const internal::v1::FromWorker& message) { on_message(message); },
                               [this](const std::string& reason) { on_gone(reason); }};
  auto process = WorkerProcess::start(*loop_, id_, arguments, lock_->descriptor(), std::move(events));
  if (!process.ok()) {
    deaths_++;
    next_try_ = clock_.now() + restart_delay(deaths_);
    report(v1::DEVICE_STATE_OUT_OF_SERVICE, message_of(process.status()));
    return;
  }
  process_ = *std::move(process);
  attempts_->set_worker(*process_);
  no_memory_limit_ = settings_.no_memory_limit;
  if (settings_.memory)
    if (const Status added = settings_.memory->add(process_->pid()); !added.ok())
      no_memory_limit_ = message_of(added);
  device_.set_worker_starts(device_.worker_starts() + 1);
  report(v1::DEVICE_STATE_STARTING, deaths_ > 0 ? "Its worker died and starts again." : "");
}

// Reads first, so that all messages sent until now count.
void DeviceSlot::tick() {
  clock_.here();
  if (!begun_) return;
  if (process_) process_->read();
  if (process_) process_->tick();  // on_gone may reset process_
  const TimePoint now = clock_.now();
  traces_.check(now);
  if (process_ && ending_ && now > ending_->by)
    ending_->may_linger ? process_->kill("It does not end when told to.")
                        : process_->dismiss("The daemon ends at once.");
  if (ending_ && !process_) {
    is_gone_ = true;
    ending_->gone();
  }
  if (ending_ || device_.state() == v1::DEVICE_STATE_UNUSED) return;
  if (!process_ && now >= next_try_) return take_device();
  if (process_ && device_.state() == v1::DEVICE_STATE_STARTING && now > launched_ + settings_.start_timeout)
    process_->kill(
        fmt::format("It does not become ready (waited {} s).", whole_seconds(settings_.start_timeout)));
  attempts_->check(now);
}

// Messages of the worker.

void DeviceSlot::on_message(const internal::v1::FromWorker& message) {
  using Case = internal::v1::FromWorker;
  switch (message.message_case()) {
    case Case::kReady:
      return on_ready(message.ready());
    case Case::kProgress:
      return attempts_->on_progress(message.progress());
    case Case::kSegmentFinished: {
      const auto& segment = message.segment_finished();
      did_something();
      return attempts_->on_segment_finished(segment);
    }
    case Case::kJobFinished:
    case Case::kJobStopped:
      if (attempts_->on_end(message)) did_something();
      return;
    case Case::kLogLine: {
      const auto& line = message.log_line();
      return attempts_->on_log(line);
    }
    case Case::kDeviceReport:
      return events_.on_report(id_, message.device_report());
    case Case::kTraceAnswer:
      return traces_.on_answer(message.trace_answer());
    case Case::kStreamStarted:
    case Case::kStreamFrameTaken:
    case Case::kStreamPicture:
    case Case::kStreamWaiting:
    case Case::kStreamStopped:
      if (message.has_stream_picture()) did_something();
      return streams_.on_message(message);
    default:
      log_warning({.device = id_}, "The worker sends a message that is not understood.");
  }
}

void DeviceSlot::on_ready(const internal::v1::Ready& ready) {
  const Status error = channel::to_status(ready.error());
  if (!error.ok()) {
    failed_self_test_ = message_of(error);
    return;  // the end of the process follows
  }
  // The worker's description of the open device, completed by the supervisor's own.
  v1::DeviceStatus info = ready.device();
  info.set_id(id_);
  info.set_worker_starts(device_.worker_starts());
  if (info.uuid().empty()) info.set_uuid(device_.uuid());
  if (!no_memory_limit_.empty())
    info.add_not_confined("There is no limit on the memory of workers. " + no_memory_limit_);
  device_ = std::move(info);
  failed_self_test_.clear();
  streams_.set_worker(process_.get());
  report(v1::DEVICE_STATE_IN_SERVICE, "");
}

void DeviceSlot::start(const AttemptId& id, const v1::Job& job, const Credentials& submitter) {
  if (process_ && in_service_) return attempts_->start(id, job, submitter);
  events_.on_stopped(id, unavailable("The worker of {} is not ready.", id_), true, {});
}

void DeviceSlot::change(const WorkerSettings& settings) {
  settings_.hang_timeout = settings.hang_timeout;
  settings_.start_timeout = settings.start_timeout;
  settings_.low_disk_bytes = settings.low_disk_bytes;
  settings_.analysis_cache_bytes = settings.analysis_cache_bytes;
  attempts_->weigh_anew(std::exchange(settings_.owner_weights, settings.owner_weights));
}

void DeviceSlot::did_something() { deaths_ = 0; }

void DeviceSlot::count_streams() {
  device_.set_streams(streams_.count());
  events_.on_device(device_);
}

void DeviceSlot::read_trace(std::string job_id, TraceDone done) {
  traces_.ask(in_service_ ? process_.get() : nullptr, std::move(job_id), clock_.now(), std::move(done));
}

void DeviceSlot::on_gone(const std::string& reason) {
  process_.reset();
  traces_.lose_worker();
  in_service_ = false;
  streams_.lose_worker(reason);
  device_.set_streams(0);
  const std::vector<AttemptId> lost = attempts_->lose_worker();
  if (ending_) return;
  log_warning({.device = id_}, "{}", reason);
  deaths_++;
  const bool failed = !failed_self_test_.empty();
  next_try_ = clock_.now() + (failed ? kSelfTestRetry : restart_delay(deaths_));
  if (failed) {
    report(v1::DEVICE_STATE_OUT_OF_SERVICE, fmt::format("Its self-test failed: {}", failed_self_test_));
  } else {
    report(v1::DEVICE_STATE_STARTING, fmt::format("{} It starts again.", reason));
  }
  events_.on_worker_lost(id_, lost, reason);
}

void DeviceSlot::shut_down(Duration grace, std::function<void()> gone) {
  begun_ = true;
  ending_ = {clock_.now() + grace, grace > Duration(0), std::move(gone)};
  in_service_ = false;
  if (!process_) return;
  internal::v1::ToWorker message;
  message.mutable_shutdown();
  static_cast<void>(process_->send(message).ok());
}

void DeviceSlot::start_stream(internal::v1::StartStream order, const SharedFiles& files,
                              std::shared_ptr<StreamEvents> events) {
  order.set_owner_weight(weight_of(settings_.owner_weights, order.open().settings().owner()));
  streams_.start(order, files, std::move(events));
}

}  // namespace weft::queue
