// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/slot_attempts.h"

#include <algorithm>
#include <utility>

#include "server/channel/status_message.h"
#include "server/queue/files/job_files.h"
#include "server/queue/placement/device_memory.h"
#include "server/queue/placement/device_speed.h"
#include "server/queue/placement/memory_budget.h"

namespace weft::queue {
namespace {

using std::chrono::seconds;

constexpr seconds kDiskCheck{1};         // interval of free space checks while jobs run
constexpr seconds kFolderLimit{30};      // longest wait for an earlier attempt's work folder
constexpr seconds kFileWaitReported{1};  // a shorter wait is not reported
constexpr const char* kStoppedBefore = "The attempt was stopped before it began.";

// Returns true if another try may succeed without a change by a user.
bool may_pass(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kResourceExhausted ||
         status.code() == StatusCode::kAborted;
}

// Returns a sentence about a file wait. The worker names the file by a path, or by a name in the
// work folder.
std::string reason_of(const std::string& work_folder, const internal::v1::FileWait& wait) {
  const bool is_path = wait.file().starts_with('/');
  return fmt::format("Waits for a file system: {} is to be {} (for {} s).",
                     is_path ? wait.file() : work_folder + "/" + wait.file(), wait.doing(),
                     wait.waited().seconds());
}

}  // namespace

std::vector<AttemptId> SlotAttempts::lose_worker() {
  worker_ = nullptr;
  std::vector<AttemptId> lost;
  for (const Attempt& attempt : attempts_) lost.push_back(attempt.id);
  attempts_.clear();
  return lost;
}

SlotAttempts::Attempt* SlotAttempts::find(const std::string& job_id, int attempt) {
  auto found = std::find_if(attempts_.begin(), attempts_.end(), [&](const Attempt& each) {
    return each.id.job_id == job_id && each.id.attempt == attempt;
  });
  return found == attempts_.end() ? nullptr : &*found;
}

std::vector<AttemptId> SlotAttempts::attempts_at(Attempt::Stage stage) const {
  std::vector<AttemptId> ids;
  for (const Attempt& attempt : attempts_)
    if (attempt.stage == stage) ids.push_back(attempt.id);
  return ids;
}

void SlotAttempts::end_attempt(const AttemptId& id) {
  attempts_.remove_if([&](const Attempt& each) { return each.id == id; });
}

void SlotAttempts::start(const AttemptId& id, const v1::Job& job, const Credentials& submitter) {
  attempts_.emplace_back();
  attempts_.back().id = id;
  attempts_.back().job = job;
  attempts_.back().submitter = submitter;
  attempts_.back().since = clock_.now();
  open_files(attempts_.back());
}

void SlotAttempts::open_files(Attempt& attempt) {
  attempt.stage = Attempt::Stage::kOpening;
  attempt.opening = clock_.now();
  const FileRights rights{attempt.submitter, settings_.rules};
  const auto done = [this, id = attempt.id, job = attempt.job](const JobOpener::Opened& opened) {
    on_opened(id, job, opened);
  };
  if (attempt.id.task > 0)
    opener_.open_task(attempt.job, rights, settings_.store, done);
  else
    opener_.open(attempt.job, rights, settings_.low_disk_bytes, settings_.store, done);
}

void SlotAttempts::on_opened(const AttemptId& id, const v1::Job& job, const JobOpener::Opened& opened) {
  Attempt* attempt = find(id.job_id, id.attempt);
  const bool is_open = opened.space.ok() && opened.files.ok();
  if (attempt == nullptr || !worker_) {  // the attempt was abandoned, or its worker died
    if (is_open) opener_.abandon(job, *opened.files);
    return;
  }
  if (is_open && !attempt->stopped && (*opened.files)->inputs_changed && planned_bytes(job) > 0 &&
      id.task == 0 && !opened.memory)
    return estimate_again(*attempt, opened);
  if (is_open && !attempt->stopped && !opened.memory.value_or(ok_status()).ok()) {
    opener_.abandon(job, *opened.files);
    end_attempt(id);
    return events_.on_start_refused(id, *opened.memory);
  }
  if (is_open && !attempt->stopped) {
    report_wait(*attempt, "");
    attempt->reservation = opened.reservation;
    return send_start(*attempt, *opened.files);
  }
  attempt->stage = Attempt::Stage::kWaiting;
  const bool is_taken = opened.space.ok() && opened.files.status().code() == StatusCode::kAborted;
  if (is_taken && !attempt->stopped && clock_.now() < attempt->since + kFolderLimit) return;
  const bool was_stopped = attempt->stopped.has_value();
  end_attempt(id);
  if (was_stopped) return events_.on_stopped(id, cancelled("{}", kStoppedBefore), false, {});
  if (!opened.space.ok()) return events_.on_start_refused(id, opened.space);
  events_.on_stopped(id, opened.files.status(), may_pass(opened.files.status()), {});
}

// Returns the job's planned host memory, or 0 if unknown.
int64_t SlotAttempts::planned_bytes(const v1::Job& job) const {
  return host_memory_of(job.estimate(), shares_memory(device_));
}

// Probes changed inputs again, since a larger input may need more memory than is planned for the
// job.
void SlotAttempts::estimate_again(const Attempt& attempt, const JobOpener::Opened& opened) {
  std::vector<channel::FileDescriptor> inputs;
  for (const channel::FileDescriptor& input : (*opened.files)->inputs) {
    StatusOr<channel::FileDescriptor> copy = channel::duplicate(input.get());
    if (copy.ok()) inputs.push_back(*std::move(copy));
  }
  settings_.prober->probe(
      attempt.job.spec(), std::move(inputs), attempt.submitter, false,
      [this, id = attempt.id, job = attempt.job, opened](const StatusOr<v1::JobEstimate>& now) {
        loop_.post([this, id, job, opened_copy = JobOpener::Opened(opened), now]() mutable {
          opened_copy.memory = check_memory(job, now);
          on_opened(id, job, opened_copy);
        });
      });
}

// Returns an error if the changed inputs need more memory than planned. If they cannot be probed
// any more, the worker reports the error.
Status SlotAttempts::check_memory(const v1::Job& job, const StatusOr<v1::JobEstimate>& now) const {
  if (now.status().code() == StatusCode::kUnavailable) return now.status();
  if (!now.ok()) return ok_status();
  const auto check = [](const char* memory, int64_t bytes, int64_t planned) -> Status {
    if (bytes <= planned) return ok_status();
    return failed_precondition(
        "An input was changed after the submit, and the job needs more of the {}'s memory ({}) than is "
        "planned for it ({}); submit it again.",
        memory, text_of_bytes(bytes), text_of_bytes(planned));
  };
  const bool is_shared = shares_memory(device_);
  RETURN_IF_ERROR(check("machine", host_memory_of(*now, is_shared), planned_bytes(job)));
  const DeviceNeed need = device_need_of(*now), planned = device_need_of(job.estimate());
  if (is_shared || need.bytes.empty() || planned.bytes.empty()) return ok_status();
  return check("device", need.bytes.front(), planned.bytes.front());
}

void SlotAttempts::send_start(Attempt& attempt, const SharedOpenJob& files) {
  internal::v1::ToWorker message;
  internal::v1::StartJob& start = *message.mutable_start_job();
  start.set_job_id(attempt.id.job_id);
  start.set_attempt(attempt.id.attempt);
  *start.mutable_spec() = attempt.job.spec();
  *start.mutable_settings() = attempt.job.settings();
  start.set_owner_weight(weight_of(settings_.owner_weights, attempt.job.settings().owner()));
  *start.mutable_submitter() = attempt.submitter;
  start.set_task(attempt.id.task);
  if (!attempt.job.attempts().empty()) {
    const v1::JobAttempt& newest = *attempt.job.attempts().rbegin();
    const auto set = [&](const auto& granted) {
      start.set_segments_at_once(granted.segments_at_once());
      start.set_batch_halvings(granted.batch_halvings());
    };
    set(newest);
    for (const v1::JobTask& task : newest.tasks())
      if (task.number() == attempt.id.task) set(task);
  }
  attempt.stage = Attempt::Stage::kSent;
  attempt.moved = clock_.now();
  std::vector<int> descriptors;
  for (const channel::FileDescriptor& input : files->inputs) descriptors.push_back(input.get());
  if (files->work_folder.is_open()) descriptors.push_back(files->work_folder.get());
  if (files->analyses.is_open() && settings_.analysis_cache_bytes > 0) {
    start.set_analysis_cache_bytes(settings_.analysis_cache_bytes);
    descriptors.push_back(files->analyses.get());
  }
  // If sending fails, the worker is killed, and the attempt is lost with it.
  static_cast<void>(worker_->send(message, descriptors, files).ok());
}

void SlotAttempts::stop(const AttemptId& id, internal::v1::StopKind kind) {
  Attempt* attempt = find(id.job_id, id.attempt);
  // Its end was reported, or will be reported with the worker's end.
  if (attempt == nullptr || !worker_) return;
  if (id.task > 0 && attempt->id.task != id.task) return;
  if (attempt->stage == Attempt::Stage::kSent) return send_stop(*attempt, kind);
  // An attempt ends only after its files are opened, since opening creates the work folder, which
  // may be removed after the end.
  if (!attempt->stopped) attempt->stopped = clock_.now();
  if (attempt->stage == Attempt::Stage::kOpening) return;
  end_attempt(id);
  events_.on_stopped(id, cancelled("{}", kStoppedBefore), false, {});
}

void SlotAttempts::change(const AttemptId& id, const v1::JobSettings& settings) {
  Attempt* attempt = find(id.job_id, id.attempt);
  if (attempt == nullptr || !worker_) return;
  *attempt->job.mutable_settings() = settings;
  if (attempt->stage != Attempt::Stage::kSent) return;  // StartJob will contain the new settings
  internal::v1::ToWorker message;
  internal::v1::ChangeJob& change = *message.mutable_change_job();
  change.set_job_id(id.job_id);
  change.set_attempt(id.attempt);
  *change.mutable_settings() = settings;
  change.set_owner_weight(weight_of(settings_.owner_weights, settings.owner()));
  static_cast<void>(worker_->send(message).ok());
}

void SlotAttempts::weigh_anew(const OwnerWeights& before) {
  for (const Attempt& attempt : attempts_) {
    const v1::JobSettings settings = attempt.job.settings();
    if (weight_of(before, settings.owner()) != weight_of(settings_.owner_weights, settings.owner()))
      change(attempt.id, settings);
  }
}

void SlotAttempts::send_stop(Attempt& attempt, internal::v1::StopKind kind) {
  // A checkpoint has no time limit here: the daemon limits the wait for it.
  if (kind != internal::v1::STOP_KIND_CHECKPOINT) {
    attempt.stopped = clock_.now();
    attempt.stop_by = clock_.now() + settings_.stop_timeout;
  }
  internal::v1::ToWorker message;
  message.mutable_stop_job()->set_job_id(attempt.id.job_id);
  message.mutable_stop_job()->set_attempt(attempt.id.attempt);
  message.mutable_stop_job()->set_kind(kind);
  static_cast<void>(worker_->send(message).ok());
}

// Stops jobs on a nearly full disk, since a full disk would harm all its users.
void SlotAttempts::check_disks(TimePoint now) {
  if (now < next_disk_check_) return;
  next_disk_check_ = now + kDiskCheck;
  for (Attempt& attempt : attempts_) {
    const bool is_own = attempt.stage == Attempt::Stage::kSent && attempt.id.task == 0;
    if (!is_own || attempt.stop_by || attempt.probes_disk) continue;
    attempt.probes_disk = true;
    opener_.check_disk(attempt.job, settings_.low_disk_bytes / 2,
                       [this, id = attempt.id](const Status& space) { on_disk(id, space); });
  }
}

void SlotAttempts::on_disk(const AttemptId& id, const Status& space) {
  Attempt* attempt = find(id.job_id, id.attempt);
  if (attempt == nullptr) return;
  attempt->probes_disk = false;
  if (space.ok() || !worker_ || attempt->stop_by) return;
  attempt->out_of_space = space;
  send_stop(*attempt, internal::v1::STOP_KIND_PAUSE);
}

void SlotAttempts::check(TimePoint now) {
  for (const AttemptId& id : attempts_at(Attempt::Stage::kOpening))
    check_opening(*find(id.job_id, id.attempt), now);
  for (const AttemptId& id : attempts_at(Attempt::Stage::kWaiting)) open_files(*find(id.job_id, id.attempt));
  check_disks(now);
  for (const AttemptId& id : attempts_at(Attempt::Stage::kSent)) {
    if (!worker_) return;
    if (const std::string why = check_sent(*find(id.job_id, id.attempt), now); !why.empty())
      return worker_->kill(why);
  }
}

// Reports a job that waits for its files to be opened. Abandons the job if it was stopped
// meanwhile.
void SlotAttempts::check_opening(Attempt& attempt, TimePoint now) {
  if (attempt.stopped && now > *attempt.stopped + settings_.file_stop_timeout) return let_go(attempt);
  if (now < attempt.opening + kFileWaitReported) return;
  std::vector<std::string> paths = paths_of(attempt.job);
  if (paths.empty()) paths.push_back(work_folder_of(attempt.job, settings_.state_folder));
  report_wait(attempt, fmt::format("Waits for a file system: its files are to be opened ({}; for {} s).",
                                   fmt::join(paths, ", "), whole_seconds(now - attempt.opening)));
}

// Returns the reason for killing the worker, or an empty string. While an attempt waits for a file
// system its heartbeat rises.
std::string SlotAttempts::check_sent(Attempt& attempt, TimePoint now) {
  if (attempt.stop_by && attempt.waits_for_file && now > *attempt.stopped + settings_.file_stop_timeout) {
    let_go(attempt);
    return "";
  }
  if (attempt.stop_by && !attempt.waits_for_file && now > *attempt.stop_by)
    return fmt::format("It does not stop job {} when asked to (waited {} s).", attempt.id.job_id,
                       whole_seconds(settings_.stop_timeout));
  if (now > attempt.moved + settings_.hang_timeout)
    return fmt::format("The work of job {} stands still (for {} s).", attempt.id.job_id,
                       whole_seconds(settings_.hang_timeout));
  return "";
}

// Reports the attempt as stopped while its worker is blocked by a file system. The worker keeps the
// lock of the work folder, so that a later attempt cannot use the folder at the same time.
void SlotAttempts::let_go(Attempt& attempt) {
  const Attempt gone = attempt;
  end_attempt(gone.id);
  events_.on_log(gone.id, "warning",
                 "The attempt was stopped while it waited for a file system; it is let go.");
  report_stopped(gone, cancelled("The attempt was stopped while it waited for a file system."), false, {});
}

void SlotAttempts::report_stopped(const Attempt& attempt, const Status& error, bool retriable,
                                  const v1::JobResult& result) {
  if (!attempt.out_of_space.ok() && error.code() == StatusCode::kCancelled)
    return events_.on_out_of_space(attempt.id, attempt.out_of_space);
  events_.on_stopped(attempt.id, error, retriable, result);
}

// Reports a wait for a file system. An empty reason ends it.
void SlotAttempts::report_wait(Attempt& attempt, const std::string& reason) {
  if (reason.empty() && !attempt.waits_for_file) return;
  attempt.waits_for_file = !reason.empty();
  if (attempt.id.task == 0) events_.on_file_wait(attempt.id, reason);
}

void SlotAttempts::on_progress(const internal::v1::Progress& progress) {
  Attempt* attempt = find(progress.job_id(), progress.attempt());
  if (attempt == nullptr) return;
  if (progress.heartbeat() != attempt->heartbeat) {
    attempt->heartbeat = progress.heartbeat();
    attempt->moved = clock_.now();
  }
  if (progress.has_progress()) {
    const v1::JobProgress& reported = progress.progress();
    if (attempt->reservation != nullptr)
      attempt->reservation->progressed(reported.units_done(), reported.units_total());
    if (attempt->id.task == 0) events_.on_progress(attempt->id, reported);
  }
  report_wait(*attempt,
              progress.has_file_wait()
                  ? reason_of(work_folder_of(attempt->job, settings_.state_folder), progress.file_wait())
                  : "");
}

// The attempt's own task counts the segments of all tasks.
void SlotAttempts::on_segment_finished(const internal::v1::SegmentFinished& segment) {
  const Attempt* attempt = find(segment.job_id(), segment.attempt());
  if (attempt != nullptr && attempt->id.task == 0)
    events_.on_segment_finished(attempt->id, segment.index(), segment.units_done());
}

void SlotAttempts::on_log(const internal::v1::LogLine& line) {
  const Attempt* attempt = find(line.job_id(), line.attempt());
  const bool is_of_task = attempt != nullptr && attempt->id.task > 0;
  events_.on_log({line.job_id(), line.attempt()}, line.level(),
                 is_of_task ? fmt::format("{}: {}", device_.id(), line.text()) : line.text());
}

bool SlotAttempts::on_end(const internal::v1::FromWorker& message) {
  const bool finished = message.has_job_finished();
  Attempt* found = finished ? find(message.job_finished().job_id(), message.job_finished().attempt())
                            : find(message.job_stopped().job_id(), message.job_stopped().attempt());
  if (found == nullptr) return false;
  const AttemptId id = found->id;
  found->reservation.reset();  // released before the end is reported
  const Attempt attempt = *found;
  end_attempt(id);
  if (finished) {
    events_.on_finished(id, message.job_finished().result());
    return true;
  }
  const auto& stopped = message.job_stopped();
  const Status error = channel::to_status(stopped.error());
  if (stopped.out_of_space())
    events_.on_out_of_space(id, error);
  else if (stopped.has_open_encoder_sessions())
    events_.on_session_refused(id, error, stopped.open_encoder_sessions(), stopped.result());
  else
    report_stopped(attempt, error, stopped.retriable(), stopped.result());
  return true;
}

}  // namespace weft::queue
