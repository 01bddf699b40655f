// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervisor_slot.h"

#include <algorithm>

#include "base/log.h"
#include "server/channel/status_message.h"
#include "server/queue/job_files.h"

namespace weft::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLockRetry{1};            // a device that another daemon has is asked for again
constexpr milliseconds kFirstRestart{100};  // after a death; doubled by each further one
constexpr seconds kLongestRestart{30};
constexpr seconds kSelfTestRetry{60};
constexpr seconds kDiskCheck{1};  // how often free space is looked at while jobs run
constexpr seconds kFolderLimit{
    30};  // an attempt waits for an earlier one's worker to let go of the work folder
constexpr int kMostDoublings = 16;

Duration restart_delay(int deaths) {
  const Duration delay = kFirstRestart * (1 << std::clamp(deaths - 1, 0, kMostDoublings));
  return std::min<Duration>(delay, kLongestRestart);
}

int64_t whole_seconds(Duration duration) { return std::chrono::duration_cast<seconds>(duration).count(); }

// Worth another try without a change by a person.
bool may_pass(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kResourceExhausted ||
         status.code() == StatusCode::kAborted;
}

}  // namespace

DeviceSlot::DeviceSlot(EventLoop& loop, const WorkerSettings& settings, v1::Device device, bool used,
                       WorkerEvents& events, const Clock& clock)
    : loop_(loop),
      settings_(settings),
      events_(events),
      clock_(clock),
      id_(device.id()),
      device_(std::move(device)) {
  device_.set_state(used ? v1::DEVICE_STATE_STARTING : v1::DEVICE_STATE_UNUSED);
  if (!used) device_.set_reason("The configuration leaves the device out.");
}

void DeviceSlot::report(v1::DeviceState state, const std::string& reason) {
  if (device_.state() != state || device_.reason() != reason)
    log_info("Device {}: {}{}{}", id_, v1::DeviceState_Name(state), reason.empty() ? "" : ": ", reason);
  device_.set_state(state);
  device_.set_reason(reason);
  device_.set_worker_pid(process_ ? process_->pid() : 0);
  in_service_ = state == v1::DEVICE_STATE_IN_SERVICE;
  events_.on_device(device_);
}

void DeviceSlot::begin() {
  report(device_.state(), device_.reason());
  if (device_.state() == v1::DEVICE_STATE_STARTING) take_device();
}

void DeviceSlot::take_device() {
  StatusOr<DeviceLock> lock = DeviceLock::take(settings_.lock_folder, device_, settings_.holder);
  if (lock.ok()) {
    lock_ = *std::move(lock);
    launch();
    return;
  }
  next_try_ = clock_.now() + kLockRetry;
  const bool taken = lock.status().code() == StatusCode::kAborted;
  const auto state = taken ? v1::DEVICE_STATE_TAKEN : v1::DEVICE_STATE_OUT_OF_SERVICE;
  if (device_.state() != state || device_.reason() != message_of(lock.status()))
    report(state, message_of(lock.status()));
}

void DeviceSlot::launch() {
  std::vector<std::string> arguments = settings_.arguments;
  for (const std::string& word :
       {std::string("--device"), id_, std::string("--channel"), std::to_string(kWorkerChannelDescriptor)})
    arguments.push_back(word);
  launched_ = clock_.now();
  WorkerProcess::Events events{[this](const internal::v1::FromWorker& message) { on_message(message); },
                               [this](const std::string& reason) { on_gone(reason); }};
  auto process = WorkerProcess::start(loop_, id_, arguments, lock_->descriptor(), std::move(events));
  if (!process.ok()) {
    deaths_++;
    next_try_ = clock_.now() + restart_delay(deaths_);
    report(v1::DEVICE_STATE_OUT_OF_SERVICE, message_of(process.status()));
    return;
  }
  process_ = *std::move(process);
  device_.set_worker_starts(device_.worker_starts() + 1);
  report(v1::DEVICE_STATE_STARTING, deaths_ > 0 ? "Its worker died and starts again." : "");
}

void DeviceSlot::tick() {
  if (process_) process_->tick();  // on_gone may take it away
  const TimePoint now = clock_.now();
  if (process_ && ends_by_ && now > *ends_by_)
    may_linger_ ? process_->kill("It does not end when told to.")
                : process_->dismiss("The daemon ends at once.");
  if (ends_by_ || device_.state() == v1::DEVICE_STATE_UNUSED) return;
  if (!process_ && now >= next_try_) {
    lock_ ? launch() : take_device();
    return;
  }
  if (process_ && device_.state() == v1::DEVICE_STATE_STARTING && now > launched_ + settings_.start_timeout)
    process_->kill(
        fmt::format("It does not become ready (waited {} s).", whole_seconds(settings_.start_timeout)));
  check_attempts(now);
}

// --- Attempts -----------------------------------------------------------------------------------------------

DeviceSlot::Attempt* DeviceSlot::find(const std::string& job_id, int attempt) {
  auto found = std::find_if(attempts_.begin(), attempts_.end(), [&](const Attempt& each) {
    return each.id.job_id == job_id && each.id.attempt == attempt;
  });
  return found == attempts_.end() ? nullptr : &*found;
}

void DeviceSlot::end_attempt(const AttemptId& id) {
  attempts_.remove_if([&](const Attempt& each) { return each.id == id; });
}

void DeviceSlot::start(const AttemptId& id, const v1::Job& job) {
  if (!process_ || !in_service_) {
    events_.on_stopped(id, unavailable("The worker of {} is not ready.", id_), true, {});
    return;
  }
  attempts_.emplace_back();
  attempts_.back().id = id;
  attempts_.back().job = job;
  attempts_.back().since = clock_.now();
  try_to_send(attempts_.back());
}

// Looking at the disk and opening files may wait for a slow file system; it is this thread that waits, not the queue's.
void DeviceSlot::try_to_send(Attempt& attempt) {
  if (const Status space = check_low_disk(attempt.job, settings_.low_disk_bytes); !space.ok()) {
    const AttemptId id = attempt.id;
    end_attempt(id);
    return events_.on_start_refused(id, space);
  }
  StatusOr<JobFiles> files = open_job_files(attempt.job, settings_.store_id);
  const TimePoint now = clock_.now();
  if (!files.ok()) {
    if (files.status().code() == StatusCode::kAborted && now < attempt.since + kFolderLimit) return;
    const AttemptId id = attempt.id;
    end_attempt(id);
    events_.on_stopped(id, files.status(), may_pass(files.status()), {});
    return;
  }
  internal::v1::ToWorker message;
  internal::v1::StartJob& start = *message.mutable_start_job();
  start.set_job_id(attempt.id.job_id);
  start.set_attempt(attempt.id.attempt);
  *start.mutable_spec() = attempt.job.spec();
  *start.mutable_settings() = attempt.job.settings();
  start.set_owner_weight(weight_of(settings_.owner_weights, attempt.job.settings().owner()));
  add_inputs(options::paths_of_job(attempt.job.spec()).inputs, *start.mutable_inputs());
  add_outputs(attempt.job.spec(), *start.mutable_outputs());
  attempt.sent = true;
  attempt.moved = now;
  std::vector<int> descriptors;
  for (const channel::FileDescriptor& input : files->inputs) descriptors.push_back(input.get());
  descriptors.push_back(files->work_folder.get());
  // A worker that takes no message is killed, and the attempt is lost with it.
  static_cast<void>(process_->send(message, descriptors).ok());
}

void DeviceSlot::stop(const AttemptId& id, internal::v1::StopKind kind) {
  Attempt* attempt = find(id.job_id, id.attempt);
  if (attempt == nullptr || !process_) return;  // its end is told already, or comes with the worker's
  if (!attempt->sent) {
    end_attempt(id);
    events_.on_stopped(id, cancelled("The attempt was stopped before it began."), false, {});
    return;
  }
  send_stop(*attempt, kind);
}

void DeviceSlot::change(const AttemptId& id, const v1::JobSettings& settings) {
  Attempt* attempt = find(id.job_id, id.attempt);
  if (attempt == nullptr || !process_) return;
  *attempt->job.mutable_settings() = settings;
  if (!attempt->sent) return;  // it begins with them
  internal::v1::ToWorker message;
  internal::v1::ChangeJob& change = *message.mutable_change_job();
  change.set_job_id(id.job_id);
  change.set_attempt(id.attempt);
  *change.mutable_settings() = settings;
  change.set_owner_weight(weight_of(settings_.owner_weights, settings.owner()));
  static_cast<void>(process_->send(message).ok());
}

void DeviceSlot::weigh_anew(const OwnerWeights& before) {
  for (const Attempt& attempt : attempts_) {
    const v1::JobSettings settings = attempt.job.settings();
    if (weight_of(before, settings.owner()) != weight_of(settings_.owner_weights, settings.owner()))
      change(attempt.id, settings);
  }
}

void DeviceSlot::send_stop(Attempt& attempt, internal::v1::StopKind kind) {
  // A checkpoint may take as long as the daemon waits for it.
  if (kind != internal::v1::STOP_KIND_CHECKPOINT) attempt.stop_by = clock_.now() + settings_.stop_timeout;
  internal::v1::ToWorker message;
  message.mutable_stop_job()->set_job_id(attempt.id.job_id);
  message.mutable_stop_job()->set_attempt(attempt.id.attempt);
  message.mutable_stop_job()->set_kind(kind);
  static_cast<void>(process_->send(message).ok());
}

// What still writes when the disk runs full would take the room that everything else on it needs.
void DeviceSlot::check_disks(TimePoint now) {
  if (now < next_disk_check_) return;
  next_disk_check_ = now + kDiskCheck;
  for (Attempt& attempt : attempts_) {
    if (!process_ || !attempt.sent || attempt.stop_by) continue;
    attempt.out_of_space = check_low_disk(attempt.job, settings_.low_disk_bytes / 2);
    if (!attempt.out_of_space.ok()) send_stop(attempt, internal::v1::STOP_KIND_PAUSE);
  }
}

void DeviceSlot::check_attempts(TimePoint now) {
  std::vector<AttemptId> waiting;
  for (const Attempt& attempt : attempts_)
    if (!attempt.sent) waiting.push_back(attempt.id);
  for (const AttemptId& id : waiting)
    if (Attempt* attempt = find(id.job_id, id.attempt)) try_to_send(*attempt);
  check_disks(now);
  if (!process_) return;
  for (const Attempt& attempt : attempts_) {
    if (!attempt.sent) continue;
    if (attempt.stop_by && now > *attempt.stop_by)
      return process_->kill(fmt::format("It does not stop job {} when asked to (waited {} s).",
                                        attempt.id.job_id, whole_seconds(settings_.stop_timeout)));
    if (now > attempt.moved + settings_.hang_timeout)
      return process_->kill(fmt::format("The work of job {} stands still (for {} s).", attempt.id.job_id,
                                        whole_seconds(settings_.hang_timeout)));
  }
}

// --- What the worker says -----------------------------------------------------------------------------------

void DeviceSlot::on_message(const internal::v1::FromWorker& message) {
  using Case = internal::v1::FromWorker;
  switch (message.message_case()) {
    case Case::kReady:
      return on_ready(message.ready());
    case Case::kProgress:
      return on_progress(message.progress());
    case Case::kSegmentFinished: {
      const auto& segment = message.segment_finished();
      did_something();
      return events_.on_segment_finished({segment.job_id(), segment.attempt()}, segment.index(),
                                         segment.units_done());
    }
    case Case::kJobFinished:
    case Case::kJobStopped:
      return on_end(message);
    case Case::kLogLine: {
      const auto& line = message.log_line();
      return events_.on_log({line.job_id(), line.attempt()}, line.level(), line.text());
    }
    case Case::kSample:
      return events_.on_sample(message.sample());
    case Case::kStreamStarted:
    case Case::kStreamFrameTaken:
    case Case::kStreamPicture:
    case Case::kStreamWaiting:
    case Case::kStreamStopped:
      if (message.has_stream_picture()) did_something();
      return streams_.on_message(message);
    default:
      log_warning("Device {}: its worker sends a message that is not understood.", id_);
  }
}

void DeviceSlot::on_ready(const internal::v1::Ready& ready) {
  const Status error = channel::to_status(ready.error());
  if (!error.ok()) {
    failed_self_test_ = message_of(error);
    return;  // its end follows
  }
  // What the open device knows of itself, without what only we know.
  v1::Device facts = ready.device();
  facts.set_id(id_);
  facts.set_worker_starts(device_.worker_starts());
  if (facts.uuid().empty()) facts.set_uuid(device_.uuid());
  device_ = std::move(facts);
  failed_self_test_.clear();
  streams_.set_worker(process_.get());
  report(v1::DEVICE_STATE_IN_SERVICE, "");
}

void DeviceSlot::on_progress(const internal::v1::Progress& progress) {
  Attempt* attempt = find(progress.job_id(), progress.attempt());
  if (attempt == nullptr) return;
  if (progress.heartbeat() != attempt->heartbeat) {
    attempt->heartbeat = progress.heartbeat();
    attempt->moved = clock_.now();
  }
  events_.on_progress(attempt->id, progress.progress());
}

void DeviceSlot::on_end(const internal::v1::FromWorker& message) {
  const bool finished = message.has_job_finished();
  const AttemptId id = finished ? AttemptId{message.job_finished().job_id(), message.job_finished().attempt()}
                                : AttemptId{message.job_stopped().job_id(), message.job_stopped().attempt()};
  const Attempt* attempt = find(id.job_id, id.attempt);
  if (attempt == nullptr) return;
  const Status out_of_space = attempt->out_of_space;
  end_attempt(id);
  did_something();
  if (finished) return events_.on_finished(id, message.job_finished().result());
  const auto& stopped = message.job_stopped();
  const Status error = channel::to_status(stopped.error());
  if (stopped.out_of_space()) return events_.on_out_of_space(id, error);
  if (!out_of_space.ok() && error.code() == StatusCode::kCancelled)
    return events_.on_out_of_space(id, out_of_space);
  events_.on_stopped(id, error, stopped.retriable(), stopped.result());
}

void DeviceSlot::did_something() { deaths_ = 0; }

void DeviceSlot::count_streams() {
  device_.set_streams(streams_.count());
  events_.on_device(device_);
}

void DeviceSlot::on_gone(const std::string& reason) {
  process_.reset();
  in_service_ = false;
  streams_.lose_worker(reason);
  device_.set_streams(0);
  std::vector<AttemptId> lost;
  for (const Attempt& attempt : attempts_) lost.push_back(attempt.id);
  attempts_.clear();
  if (ends_by_) return;
  log_warning("Device {}: {}", id_, reason);
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

void DeviceSlot::shut_down(Duration grace) {
  ends_by_ = clock_.now() + grace;
  may_linger_ = grace > Duration(0);
  in_service_ = false;
  if (!process_) return;
  internal::v1::ToWorker message;
  message.mutable_shutdown();
  static_cast<void>(process_->send(message).ok());
}

}  // namespace weft::queue
