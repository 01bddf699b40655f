// SPDX-License-Identifier: Apache-2.0
// long file: the functions of all events, one for each, to be compared with each other.
#include "server/queue/lifecycle.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "options/file_set.h"

namespace weft::queue {
namespace {

using internal::v1::STOP_KIND_CANCEL;
using internal::v1::STOP_KIND_CHECKPOINT;
using internal::v1::STOP_KIND_PAUSE;

// Returns true for a temporary error of Workers::start() or publish(), after which the job is tried
// again.
bool may_pass(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kResourceExhausted;
}

// Returns the error of a job after the failure of some inputs. The outputs of the other inputs are
// in place.
Status error_of_inputs(const v1::JobResult& result) {
  constexpr int kNamed = 5;
  std::string named;
  for (int i = 0; i < std::min(result.failed_inputs_size(), kNamed); i++)
    named += fmt::format("{}{}: {}", i == 0 ? "" : " ", result.failed_inputs(i).name(),
                         result.failed_inputs(i).reason());
  if (const int more = result.failed_inputs_size() - kNamed; more > 0)
    named += fmt::format(" And {} more; the log has all.", more);
  return data_loss(
      "{} of the input's files failed, and what was made of the others is in its place. A retry takes those "
      "that failed alone. {}",
      result.failed_inputs_size(), named);
}

// Applies one event to one job: changes record() in place, with one function for each event.
class Stepper {
 public:
  Stepper(const JobRecord& record, const Now& now, const RetryDelays& delays) : now_(now), delays_(delays) {
    transition_.record = record;
  }
  Transition take() { return std::move(transition_); }

  Status operator()(const event::Start& start);
  Status operator()(const event::StartRefused& refused);
  Status operator()(const event::StartTask& start);
  Status operator()(const event::StopTask& stop);
  Status operator()(const event::TaskEnded& ended);
  Status operator()(const event::SegmentDone& segment);
  Status operator()(const event::Finished& finished);
  Status operator()(const event::Stopped& stopped);
  Status operator()(const event::NoRoom& stopped);
  Status operator()(const event::WorkerLost& lost);
  Status operator()(const event::Published& published);
  Status operator()(const event::PublishDue&);
  Status operator()(const event::Discarded& discarded);
  Status operator()(const event::WorkExpired&);
  Status operator()(const event::Forget&);
  Status operator()(const event::Cancel&);
  Status operator()(const event::Pause&);
  Status operator()(const event::Resume&);
  Status operator()(const event::Retry&);
  Status operator()(const event::ChangePriority& change);
  Status operator()(const event::Checkpoint&);
  Status operator()(const event::Recover&);

 private:
  JobRecord& record() { return transition_.record; }
  v1::Job& job() { return transition_.record.job; }
  v1::JobState state() { return job().state(); }
  bool is_current(int attempt) { return attempt == job().attempt() && attempt_is_open(job()); }

  void seen() { transition_.change = Transition::Change::kSeen; }
  void quiet() {
    if (transition_.change != Transition::Change::kSeen) transition_.change = Transition::Change::kQuiet;
  }
  void noted() {
    if (transition_.change == Transition::Change::kNone) transition_.change = Transition::Change::kNoted;
  }
  void act(Action::Kind kind, internal::v1::StopKind stop = internal::v1::STOP_KIND_UNSPECIFIED,
           int task = 0) {
    transition_.actions.push_back({kind, stop, task});
  }
  template <class... Args>
  void log(fmt::format_string<Args...> format, Args&&... args) {
    transition_.log = fmt::format(format, std::forward<Args>(args)...);
  }

  void close_attempt(const Status& error);
  void queue_again(const Status& error, std::string why);
  void fail(const Status& error, bool keep_work);
  void end(v1::JobState state);
  void discard_when_possible();
  void after_retriable(const Status& error);
  Status not_in_this_state(std::string_view what);

  Transition transition_;
  const Now now_;
  const RetryDelays delays_;
};

void Stepper::close_attempt(const Status& error) {
  v1::JobAttempt* attempt = job().mutable_attempts(job().attempts_size() - 1);
  *attempt->mutable_end_time() = to_timestamp(now_.wall);
  if (!error.ok()) *attempt->mutable_error() = to_proto(error);
  for (v1::JobTask& task : *attempt->mutable_tasks())
    if (!task.has_end_time()) *task.mutable_end_time() = attempt->end_time();
  record().checkpointing = false;
  record().refusals = 0;
  if (state() == v1::JOB_STATE_PAUSED) show_finished(record());
  seen();
}

// Returns the job to the line, after a back-off if there was an error.
void Stepper::queue_again(const Status& error, std::string why) {
  job().set_state(v1::JOB_STATE_QUEUED);
  show_finished(record());
  if (!error.ok()) {
    record().not_before = now_.steady + retry_delay(std::max(record().refusals, record().failures), delays_);
    record().not_before_why = std::move(why);
  }
  seen();
}

void Stepper::end(v1::JobState state) {
  job().set_state(state);
  *job().mutable_end_time() = to_timestamp(now_.wall);
  record().publishing = record().published = false;
  record().checkpointing = false;
  record().not_before = {};
  seen();
}

// `keep_work`: keeps the finished segments for a retry. They are useless if the input itself cannot
// be processed.
void Stepper::fail(const Status& error, bool keep_work) {
  *job().mutable_error() = to_proto(error);
  end(v1::JOB_STATE_FAILED);
  record().keeps_work = keep_work && job().attempt() > 0;
  if (!keep_work) discard_when_possible();
  log("The job failed: {}", message_of(error));
}

void Stepper::discard_when_possible() {
  if (job().attempt() == 0) return;  // the job never had a work folder
  record().cleanup = true;
  record().units_finished = 0;
  quiet();
  if (attempt_is_open(job()) || record().discarding) return;
  record().discarding = true;
  act(Action::Kind::kDiscard);
}

void Stepper::after_retriable(const Status& error) {
  JobRecord& r = record();
  r.failures++;
  const int limit = job().settings().has_max_attempts() ? job().settings().max_attempts() : 3;
  if (r.deaths >= kDeathsThatFailAJob)
    return fail(
        with_context(error,
                     fmt::format("The worker died {} times in a row at this job; the last time", r.deaths)),
        false);
  if (r.failures >= limit)
    return fail(limit == 1
                    ? error
                    : with_context(error, fmt::format("The job failed {} times; the last time", r.failures)),
                true);
  queue_again(error, message_of(error));
  log("Attempt {} ended, another follows: {}", job().attempt(), message_of(error));
}

Status Stepper::not_in_this_state(std::string_view what) {
  if (record().publishing)
    return failed_precondition(
        "The job ({}) is finished and its result is on the way to its place; it cannot be {}.", job().id(),
        what);
  return failed_precondition("The job ({}) has the state {} and cannot be {}.", job().id(),
                             state_name(state()), what);
}

Status Stepper::operator()(const event::Start& start) {
  if (!may_start(record())) return not_in_this_state("started");
  job().set_state(v1::JOB_STATE_RUNNING);
  job().set_attempt(job().attempt() + 1);
  job().set_device(start.device);
  show_finished(record());
  if (!job().has_start_time()) *job().mutable_start_time() = to_timestamp(now_.wall);
  if (job().attempts_size() >= kAttemptsKept)
    job().mutable_attempts()->DeleteSubrange(0, job().attempts_size() - kAttemptsKept + 1);
  v1::JobAttempt* attempt = job().add_attempts();
  attempt->set_number(job().attempt());
  attempt->set_device(start.device);
  set_grant(start.memory, *attempt);
  *attempt->mutable_start_time() = to_timestamp(now_.wall);
  record().not_before = {};
  record().not_before_why.clear();
  act(Action::Kind::kStart);
  seen();
  log("Attempt {} starts on {}.", job().attempt(), start.device);
  return ok_status();
}

Status Stepper::operator()(const event::StartRefused& refused) {
  if (!is_current(refused.attempt)) return ok_status();
  if (state() == v1::JOB_STATE_RUNNING && may_pass(refused.error)) {
    // The attempt was not begun: its number is used up, but the list contains begun attempts only.
    job().mutable_attempts()->RemoveLast();
    if (job().attempts().empty()) job().clear_start_time();
    record().checkpointing = false;
    record().refusals++;
    queue_again(refused.error, message_of(refused.error));
    return ok_status();
  }
  close_attempt(refused.error);
  if (state() == v1::JOB_STATE_RUNNING) fail(refused.error, false);
  if (state() == v1::JOB_STATE_CANCELLED) discard_when_possible();
  return ok_status();
}

Status Stepper::operator()(const event::StartTask& start) {
  if (state() != v1::JOB_STATE_RUNNING || !attempt_is_open(job()) || record().checkpointing)
    return not_in_this_state("rendered on a further device");
  v1::JobAttempt& attempt = *job().mutable_attempts()->rbegin();
  const int number = attempt.tasks().empty() ? 1 : attempt.tasks().rbegin()->number() + 1;
  if (attempt.tasks_size() >= kTasksKept) {
    const auto oldest = std::ranges::find_if(*attempt.mutable_tasks(), &v1::JobTask::has_end_time);
    if (oldest != attempt.mutable_tasks()->end()) attempt.mutable_tasks()->erase(oldest);
  }
  v1::JobTask& task = *attempt.add_tasks();
  task.set_number(number);
  task.set_device(start.device);
  set_grant(start.memory, task);
  *task.mutable_start_time() = to_timestamp(now_.wall);
  act(Action::Kind::kStart, internal::v1::STOP_KIND_UNSPECIFIED, number);
  seen();
  log("Segments are rendered on {} as well.", start.device);
  return ok_status();
}

Status Stepper::operator()(const event::StopTask& stop) {
  if (!attempt_is_open(job())) return ok_status();
  for (v1::JobTask& task : *job().mutable_attempts()->rbegin()->mutable_tasks()) {
    if (task.number() != stop.task || task.has_end_time()) continue;
    task.set_stopping(true);
    act(Action::Kind::kStop, stop.kind, stop.task);
    quiet();
  }
  return ok_status();
}

Status Stepper::operator()(const event::TaskEnded& ended) {
  if (!is_current(ended.attempt)) return ok_status();
  for (v1::JobTask& task : *job().mutable_attempts()->rbegin()->mutable_tasks()) {
    if (task.number() != ended.task || task.has_end_time()) continue;
    *task.mutable_end_time() = to_timestamp(now_.wall);
    seen();
    if (ended.error.ok() || ended.error.code() == StatusCode::kCancelled) {
      log("No more segments are rendered on {}.", task.device());
    } else {
      *task.mutable_error() = to_proto(ended.error);
      log("No more segments are rendered on {}: {}", task.device(), message_of(ended.error));
    }
  }
  return ok_status();
}

Status Stepper::operator()(const event::SegmentDone& segment) {
  if (!is_current(segment.attempt)) return ok_status();
  if (segment.units_done > record().units_finished && state() != v1::JOB_STATE_CANCELLED) {
    record().units_finished = segment.units_done;
    noted();
  }
  if (record().failures == 0 && record().deaths == 0) return ok_status();
  // Progress resets the counts of failures. The number of segments limits the number of resets.
  record().failures = 0;
  record().deaths = 0;
  quiet();
  return ok_status();
}

Status Stepper::operator()(const event::Finished& finished) {
  if (!is_current(finished.attempt)) return ok_status();
  close_attempt(ok_status());
  if (state() == v1::JOB_STATE_CANCELLED) {
    discard_when_possible();
    return ok_status();
  }
  // This includes a job that was paused meanwhile, since its work is complete.
  job().set_state(v1::JOB_STATE_RUNNING);
  *job().mutable_result() = kept_result(finished.result);
  note_length(job());
  record().publishing = true;
  record().publish_failures = 0;
  record().not_before = {};
  act(Action::Kind::kPublish);
  return ok_status();
}

Status Stepper::operator()(const event::Stopped& stopped) {
  if (!is_current(stopped.attempt)) return ok_status();
  const bool asked = record().checkpointing && stopped.error.code() == StatusCode::kCancelled;
  close_attempt(stopped.error);
  record().deaths = 0;
  if (state() == v1::JOB_STATE_CANCELLED) discard_when_possible();
  if (state() != v1::JOB_STATE_RUNNING) return ok_status();
  if (asked) {
    queue_again(ok_status(), "");
    log("Attempt {} stopped at a checkpoint because the daemon stops.", stopped.attempt);
    return ok_status();
  }
  *job().mutable_result() = kept_result(stopped.result);
  const Status error = stopped.error.ok()
                           ? internal_error("The worker stopped the attempt and does not say why.")
                           : stopped.error;
  // A CANCELLED without a request to stop is an error of the worker, not of the job.
  if (stopped.retriable || error.code() == StatusCode::kCancelled)
    after_retriable(error);
  else
    fail(error, false);
  return ok_status();
}

// Returns the job to the line without counting a failure.
Status Stepper::operator()(const event::NoRoom& stopped) {
  if (!is_current(stopped.attempt)) return ok_status();
  const bool asked = record().checkpointing;
  close_attempt(stopped.error);
  record().deaths = 0;
  if (state() == v1::JOB_STATE_CANCELLED) discard_when_possible();
  if (state() != v1::JOB_STATE_RUNNING) return ok_status();
  if (asked) {
    queue_again(ok_status(), "");
    return ok_status();
  }
  record().refusals = 1;
  queue_again(stopped.error, message_of(stopped.error));
  log("Attempt {} stopped for want of room; the job goes on when there is some.", stopped.attempt);
  return ok_status();
}

Status Stepper::operator()(const event::WorkerLost& lost) {
  if (!is_current(lost.attempt)) return ok_status();
  const bool asked = record().checkpointing;
  const Status error = unavailable("The worker was lost: {}", lost.reason);
  close_attempt(error);
  if (state() == v1::JOB_STATE_CANCELLED) discard_when_possible();
  if (state() != v1::JOB_STATE_RUNNING) return ok_status();
  if (asked) {
    queue_again(ok_status(), "");
    return ok_status();
  }
  record().deaths++;
  after_retriable(error);
  return ok_status();
}

Status Stepper::operator()(const event::Published& published) {
  if (!record().publishing || published.attempt != job().attempt()) return ok_status();
  if (record().published) return ok_status();
  if (published.status.ok()) {
    // `published` is durable before the work folder is removed. Until then the folder identifies
    // the published output.
    record().published = record().cleanup = record().discarding = true;
    quiet();
    act(Action::Kind::kDiscard);
    return ok_status();
  }
  record().publish_failures++;
  const Status error = with_context(published.status, "What is finished could not be moved to its place");
  if (may_pass(published.status) && record().publish_failures < kPublishFailuresThatFail) {
    record().not_before = now_.steady + retry_delay(record().publish_failures, delays_);
    record().not_before_why = message_of(error);
    quiet();
    return ok_status();
  }
  fail(error, true);  // finished work is never removed
  return ok_status();
}

Status Stepper::operator()(const event::PublishDue&) {
  if (record().publishing && !record().published) act(Action::Kind::kPublish);
  return ok_status();
}

// If the removal failed, the daemon's next start repeats it.
Status Stepper::operator()(const event::Discarded& discarded) {
  if (!record().cleanup) return ok_status();
  record().cleanup = !discarded.status.ok();
  record().discarding = false;
  quiet();
  if (!record().published) return ok_status();
  if (job().result().failed_inputs_size() > 0) {
    fail(error_of_inputs(job().result()), false);
    return ok_status();
  }
  end(v1::JOB_STATE_SUCCEEDED);
  record().failures = 0;
  record().deaths = 0;
  log("The job succeeded.");
  return ok_status();
}

Status Stepper::operator()(const event::WorkExpired&) {
  if (state() != v1::JOB_STATE_FAILED || !record().keeps_work) return ok_status();
  record().keeps_work = false;
  discard_when_possible();
  log("What the job had finished was kept for long enough and is removed; a retry begins anew.");
  return ok_status();
}

Status Stepper::operator()(const event::Forget&) {
  if (!is_final(state())) return not_in_this_state("forgotten; wait for its end, or cancel it first");
  if (!record().keeps_work && !record().cleanup) return ok_status();
  record().keeps_work = false;
  discard_when_possible();
  return ok_status();
}

Status Stepper::operator()(const event::Cancel&) {
  if (state() == v1::JOB_STATE_CANCELLED) return ok_status();
  if (is_final(state()) || record().publishing) return not_in_this_state("cancelled");
  const bool running = state() == v1::JOB_STATE_RUNNING;
  const bool stopping = !running && attempt_is_open(job());
  end(v1::JOB_STATE_CANCELLED);
  if (running || stopping) act(Action::Kind::kStop, STOP_KIND_CANCEL);
  discard_when_possible();
  log("The job was cancelled.");
  return ok_status();
}

Status Stepper::operator()(const event::Pause&) {
  if (state() == v1::JOB_STATE_PAUSED) return ok_status();
  if (is_final(state()) || record().publishing) return not_in_this_state("paused");
  if (state() == v1::JOB_STATE_RUNNING) act(Action::Kind::kStop, STOP_KIND_PAUSE);
  job().set_state(v1::JOB_STATE_PAUSED);
  record().checkpointing = false;
  seen();
  log("The job was paused.");
  return ok_status();
}

Status Stepper::operator()(const event::Resume&) {
  if (state() == v1::JOB_STATE_QUEUED || state() == v1::JOB_STATE_RUNNING) return ok_status();
  if (state() != v1::JOB_STATE_PAUSED) return not_in_this_state("resumed");
  job().set_state(v1::JOB_STATE_QUEUED);
  show_finished(record());
  record().not_before = {};
  seen();
  log("The job was resumed.");
  return ok_status();
}

Status Stepper::operator()(const event::Retry&) {
  if (state() != v1::JOB_STATE_FAILED && state() != v1::JOB_STATE_CANCELLED)
    return not_in_this_state("retried; only failed and cancelled jobs can");
  if (job().result().failed_inputs_size() > 0) {
    std::vector<std::string> names;
    for (const v1::FailedInput& failed : job().result().failed_inputs()) names.push_back(failed.name());
    options::choose_names(*job().mutable_spec(), names);
  }
  job().set_state(v1::JOB_STATE_QUEUED);
  job().clear_error();
  job().clear_result();
  job().clear_end_time();
  show_finished(record());
  record().failures = 0;
  record().deaths = 0;
  record().publish_failures = 0;
  record().keeps_work = false;
  if (!record().discarding) record().cleanup = false;  // a retry uses the work folder again
  record().not_before = {};
  seen();
  log("The job was queued again.");
  return ok_status();
}

Status Stepper::operator()(const event::ChangePriority& change) {
  if (is_final(state())) return not_in_this_state("given another priority");
  if (job().settings().has_priority() && job().settings().priority() == change.priority) return ok_status();
  job().mutable_settings()->set_priority(change.priority);
  seen();
  log("The priority was changed to {}.", change.priority);
  if (state() == v1::JOB_STATE_RUNNING && attempt_is_open(job())) act(Action::Kind::kChange);
  return ok_status();
}

Status Stepper::operator()(const event::Checkpoint&) {
  if (state() != v1::JOB_STATE_RUNNING || !attempt_is_open(job()) || record().checkpointing)
    return ok_status();
  record().checkpointing = true;
  quiet();
  act(Action::Kind::kStop, STOP_KIND_CHECKPOINT);
  return ok_status();
}

Status Stepper::operator()(const event::Recover&) {
  if (record().published) {
    record().discarding = true;
    quiet();
    act(Action::Kind::kDiscard);
    return ok_status();
  }
  if (record().publishing) {
    act(Action::Kind::kPublish);
    return ok_status();
  }
  if (attempt_is_open(job())) {
    close_attempt(aborted("The daemon ended while the attempt ran."));
    if (state() == v1::JOB_STATE_RUNNING) {
      queue_again(ok_status(), "");
      log("Attempt {} ended with the daemon; the job goes on with the next.", job().attempt());
    }
  }
  if (record().cleanup) discard_when_possible();
  return ok_status();
}

}  // namespace

Duration retry_delay(int failures, const RetryDelays& delays) {
  Duration delay = delays.first;
  for (int i = 1; i < failures && delay < delays.longest; i++) delay *= 2;
  return std::min(delay, delays.longest);
}

StatusOr<Transition> apply(const JobRecord& record, const Event& event, const Now& now,
                           const RetryDelays& delays) {
  Stepper stepper(record, now, delays);
  RETURN_IF_ERROR(std::visit(stepper, event));
  return stepper.take();
}

}  // namespace weft::queue
