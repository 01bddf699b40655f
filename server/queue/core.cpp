// SPDX-License-Identifier: Apache-2.0
#include "server/queue/core.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "server/queue/records/job_filter.h"
#include "server/queue/records/proto_time.h"

namespace weft::queue {

Core::Core(const QueueConfig& config, const Clock& clock, Store& store, LogStore& logs, Post post,
           Elsewhere elsewhere)
    : config_(config),
      clock_(clock),
      placement_(config.jobs_per_device, config.aging),
      lineup_(placement_, clock_),
      ledger_(config_, clock_, store, placement_, devices_,
              [this](const JobRecord* before, const JobRecord* after) { follow(before, after); }),
      actions_(clock_, std::move(elsewhere), [this](JobEvent event) { take(std::move(event)); }),
      views_(config_, clock_, {ledger_.jobs(), placement_, devices_, actions_, watches_}),
      watches_(
          ledger_.jobs(), [this](const JobRecord& record) { return views_.decorate(record); }, post),
      device_watches_(devices_),
      logs_(logs, ledger_.jobs(), clock_, std::move(post)),
      rules_(config_, ledger_.jobs(), placement_),
      retention_(config_, clock_, ledger_.jobs()),
      waiting_(clock_, ledger_, placement_, views_, watches_) {}

StatusOr<std::unique_ptr<Core>> Core::make(const QueueConfig& config, const Clock& clock, Store& store,
                                           LogStore& logs, Post post, Elsewhere elsewhere) {
  std::unique_ptr<Core> core(new Core(config, clock, store, logs, std::move(post), std::move(elsewhere)));
  ASSIGN_OR_RETURN(StoreContent content, store.load());
  core->placement_.set_owner_weights(config.owner_weights);
  core->placement_.memory().host().set_limit(config.host_memory_bytes);
  core->placement_.counted().slots().set_limit(config.cpu_slots, config.cpu_slots_chosen);
  core->placement_.counted().sessions().set_limit(config.encoder_sessions);
  core->ledger_.load(std::move(content));
  for (const std::string& id : core->jobs().ids()) core->lineup_.follow(nullptr, core->jobs().find(id).get());
  core->watches_.restore(core->store_identity().id, core->ledger_.revision());
  return core;
}

void Core::start(Workers& workers) {
  actions_.start(workers);
  for (const std::string& id : jobs().ids()) {
    const RecordPtr record = jobs().find(id);
    if (record->publishing || record->cleanup || attempt_is_open(record->job))
      take(JobEvent{id, event::Recover{}});
  }
  retention_.start();
  actions_.remove_orphans(jobs(), store_identity().id, config_);
}

void Core::follow(const JobRecord* before, const JobRecord* after) {
  lineup_.follow(before, after);
  views_.follow(before, after);
  retention_.follow(before, after);
  waiting_.follow(after);
}

void Core::submit(const Submission& submission, Callback<v1::Job> done) {
  const auto answer = [&](const Status& error) {
    answers_.push_back([done, error](const Status&) { done(error); });
  };
  if (submission.request_id.size() > kLongestRequestId)
    return answer(invalid_argument("The request_id is too long ({} characters, at most {}).",
                                   submission.request_id.size(), kLongestRequestId));
  const StatusOr<std::optional<v1::Job>> same = views_.find_submission(submission);
  if (!same.ok()) return answer(same.status());
  if (same->has_value()) return answer_with_job((*same)->id(), std::move(done));
  if (const Status possible = rules_.check(submission); !possible.ok()) return answer(possible);
  auto added = std::make_shared<JobRecord>();
  *added->job.mutable_spec() = submission.spec;
  *added->job.mutable_settings() = submission.settings;
  if (submission.estimate.ByteSizeLong() > 0) *added->job.mutable_estimate() = submission.estimate;
  added->job.set_work_location(submission.work_location);
  added->job.set_request_id(submission.request_id);
  added->job.set_state(v1::JOB_STATE_QUEUED);
  *added->job.mutable_submit_time() = to_timestamp(clock_.wall_now());
  added->submitter = submission.submitter;
  added->real_paths = submission.real_paths;
  added->fingerprint = fingerprint_of(submission.spec, submission.settings);
  answer_with_job(ledger_.add(std::move(added)), std::move(done));
}

void Core::request(const std::string& id, const Event& event, const Callback<v1::Job>& done) {
  StatusOr<RecordPtr> record = jobs().resolve(id);
  if (record.ok() && std::holds_alternative<event::Retry>(event) && is_final((*record)->job.state()))
    if (const Status alone = rules_.check_files((*record)->job.spec(), (*record)->real_paths); !alone.ok())
      record = alone;
  if (record.ok()) record = ledger_.apply(*record, event);
  if (record.ok() && std::holds_alternative<event::Forget>(event)) {
    answers_.push_back([this, id = (*record)->job.id(), done](const Status& status) {
      if (!status.ok()) return done(status);
      forgetting_.add(id, done);
    });
    return;
  }
  if (record.ok()) return answer_with_job((*record)->job.id(), done);
  answers_.push_back([done, error = record.status()](const Status&) { done(error); });
}

// Answers with the job's state after the whole batch, since the batch may also have started the
// job.
void Core::answer_with_job(const std::string& id, Callback<v1::Job> done) {
  answers_.push_back([this, id, done = std::move(done)](const Status& status) {
    if (!status.ok()) return done(status);
    done(views_.decorate(*jobs().find(id)));
  });
}

void Core::run(const JobEvent& event) {
  const RecordPtr record = jobs().find(event.job_id);
  if (record == nullptr || tasks_.hold(event)) return;
  const bool open = attempt_is_open(record->job);
  const std::string device = open ? attempt_device(record->job) : "";
  const StatusOr<RecordPtr> after = ledger_.apply(record, learn_session(record->job, event.event));
  if (!after.ok()) log_warning({.job = event.job_id}, "{}", message_of(after.status()));
  if (const auto* discarded = std::get_if<event::Discarded>(&event.event))
    forgetting_.discarded(event.job_id, discarded->status);
  const auto* stopped = std::get_if<event::Stopped>(&event.event);
  const bool worked = std::holds_alternative<event::SegmentDone>(event.event) ||
                      std::holds_alternative<event::Finished>(event.event) ||
                      (stopped != nullptr && !stopped->retriable);
  if (worked && open) devices_.worked(device);
  if (std::holds_alternative<event::TaskEnded>(event.event))
    if (std::optional<JobEvent> held = tasks_.release(event.job_id)) take(*std::move(held));
}

// Learns the limit of a GPU's encoder from a refused session. Returns the event to apply: if no job
// had a session, waiting for one is useless, and the refusal is an ordinary error.
Event Core::learn_session(const v1::Job& job, const Event& event) {
  if (const auto* ended = std::get_if<event::TaskEnded>(&event); ended != nullptr && ended->open_sessions)
    for (const v1::JobTask* task : open_tasks(job))
      if (task->number() == ended->task)
        placement_.counted().session_refused(task->device(), *ended->open_sessions);
  const auto* refused = std::get_if<event::SessionRefused>(&event);
  if (refused == nullptr || !attempt_is_open(job) || refused->attempt != job.attempt()) return event;
  if (placement_.counted().session_refused(attempt_device(job), refused->open)) return event;
  return event::Stopped{refused->attempt, refused->error, true, refused->result};
}

void Core::run(const WorkerLoss& loss) {
  std::vector<std::string> blamed;
  for (const AttemptId& attempt : loss.attempts) {
    const RecordPtr record = jobs().find(attempt.job_id);
    if (record == nullptr) continue;
    const bool asked_to_stop = record->job.state() != v1::JOB_STATE_RUNNING || record->checkpointing;
    const bool counts = attempt.attempt == record->job.attempt() && attempt_is_open(record->job);
    run(attempt.task > 0
            ? JobEvent{attempt.job_id, event::TaskEnded{attempt.attempt, attempt.task,
                                                        unavailable("The worker was lost: {}", loss.reason)}}
            : JobEvent{attempt.job_id, event::WorkerLost{attempt.attempt, loss.reason}});
    if (counts && !asked_to_stop) blamed.push_back(attempt.job_id);
  }
  if (!devices_.died(loss.device, blamed)) return;
  log_error("The device {} is out of service: its worker died {} times in a row at different jobs.",
            loss.device, kDeathsThatEndADevice);
  device_watches_.changed(loss.device);
}

// Ends the back-offs of jobs and the rests of devices that are due, and writes due logs and
// reports.
void Core::run_events() {
  for (const std::string& id : lineup_.release(jobs())) take(JobEvent{id, event::PublishDue{}});
  rests_end_ = devices_.end_rests(clock_.now());
  logs_.flush_due();
  waiting_.send_due();
  while (!inbox_.empty()) {
    DurableEvent event = std::move(inbox_.front());
    inbox_.pop_front();
    std::visit([this](const auto& e) { run(e); }, event);
    events_.push_back(std::move(event));
  }
}

void Core::place() {
  if (!actions_.is_started() || draining_) return;
  // The memory used by other programs is measured only while no job of this daemon runs.
  if (config_.available_memory && !placement_.anything_runs() && placement_.anything_waits())
    placement_.memory().host().set_limit(
        std::clamp<int64_t>(config_.available_memory(), 1, config_.host_memory_bytes));
  while (std::optional<Assignment> assignment = placement_.next(clock_.now())) {
    const StatusOr<RecordPtr> after = ledger_.apply(
        jobs().find(assignment->job_id), event::Start{assignment->choice.device, assignment->memory});
    if (after.ok()) {
      views_.placed(assignment->job_id, std::move(assignment->choice));
      continue;
    }
    log_error({.job = assignment->job_id}, "{}", message_of(after.status()));
    placement_.remove_waiting(assignment->job_id);
  }
  tasks_.place();
}

Status Core::commit() {
  run_events();
  place();
  find_expired();
  const StatusOr<Ledger::Batch> batch = ledger_.write();
  // Callbacks may begin the next batch.
  auto events = std::exchange(events_, {});
  const auto answers = std::exchange(answers_, {});
  if (!batch.ok()) {
    inbox_.insert(inbox_.begin(), std::make_move_iterator(events.begin()),
                  std::make_move_iterator(events.end()));
    for (const auto& answer : answers) answer(batch.status());
    return batch.status();
  }
  publish(*batch);
  // Actions precede the answers: once a client has the answer to a cancellation, the worker has
  // been notified.
  for (const auto& [id, action] : batch->actions) {
    const RecordPtr record = jobs().find(id);
    const Status done = actions_.perform(record, action);
    if (done.ok()) continue;
    if (action.task > 0)
      take(JobEvent{id, event::TaskEnded{record->job.attempt(), action.task, done}});
    else
      start_refused(record->job, done);
  }
  for (const auto& answer : answers) answer(ok_status());
  forget(batch->forgotten);
  if (draining_ && !placement_.anything_runs() && !actions_.is_at_work() && inbox_.empty())
    for (const auto& done : std::exchange(drained_, {})) done();
  return ok_status();
}

void Core::find_expired() {
  if (!actions_.is_started()) return;
  const auto is_changed = [this](const std::string& id) { return ledger_.has_changed(id); };
  ledger_.forget(forgetting_.find(is_changed));
  if (draining_) return;
  Retention::Found found = retention_.find(is_changed);
  for (std::string& id : found.work) take(JobEvent{std::move(id), event::WorkExpired{}});
  ledger_.forget(std::move(found.jobs));
}

void Core::forget(const std::set<std::string>& ids) {
  for (const std::string& id : ids) {
    logs_.remove(id);
    const RecordPtr record = jobs().find(id);
    ledger_.remove(id);
    retention_.follow(record.get(), nullptr);
    watches_.forgotten(record);
    forgetting_.removed(*record);
  }
}

void Core::publish(const Ledger::Batch& batch) {
  for (const auto& [id, text] : batch.logs) logs_.add({id, jobs().find(id)->job.attempt()}, "info", text);
  for (const auto& [before, after] : batch.seen) {
    watches_.changed(before, after);
    if (is_final(after->job.state())) logs_.wake(after->job.id());
  }
  for (const std::string& id : batch.devices) device_watches_.changed(id);
  if (!batch.seen.empty()) waiting_.changed();
}

void Core::start_refused(const v1::Job& job, const Status& why) {
  const AttemptId attempt{job.id(), job.attempt()};
  log_warning({.job = attempt.job_id, .attempt = attempt.attempt}, "The start was refused: {}",
              message_of(why));
  logs_.add(attempt, "warning", message_of(why));
  // The device rests: without a worker it would refuse every job in line.
  if (why.code() == StatusCode::kUnavailable) {
    devices_.rest(job.device(), clock_.now() + config_.retry_delay, message_of(why));
    rests_end_ = std::min(rests_end_, clock_.now() + config_.retry_delay);
  }
  take(JobEvent{attempt.job_id, event::StartRefused{attempt.attempt, why}});
}

TimePoint Core::next_due() const {
  const TimePoint due = std::min({rests_end_, retention_.next_due(), lineup_.next_due(), logs_.next_due(),
                                  ledger_.next_due(), waiting_.next_due()});
  return actions_.is_started() && !draining_ ? std::min(due, placement_.next_due()) : due;
}

StatusOr<v1::SubmitJobResponse> Core::check(const Submission& submission) const {
  RETURN_IF_ERROR(rules_.check(submission));
  return views_.foresee(submission);
}

void Core::watch(const std::shared_ptr<JobSubscription>& watch, const std::string& resume_token) {
  waiting_.begin_anew();
  watches_.subscribe(watch, resume_token);
}

}  // namespace weft::queue
