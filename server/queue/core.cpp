// SPDX-License-Identifier: Apache-2.0
#include "server/queue/core.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/fault_point.h"
#include "base/log.h"
#include "server/queue/records/job_filter.h"

namespace weft::queue {
namespace {

constexpr Duration kLogsWaitAtMost = std::chrono::milliseconds(500);
constexpr Duration kSpeedsWaitAtMost = std::chrono::minutes(1);
constexpr Duration kNotedWaitAtMost = std::chrono::seconds(5);

std::string attempt_device(const v1::Job& job) { return job.attempts().rbegin()->device(); }

// Whether the open attempt still is.
bool is_same_attempt(const JobRecord& before, const JobRecord* after) {
  return after != nullptr && attempt_is_open(after->job) &&
         after->job.attempts().rbegin()->number() == before.job.attempts().rbegin()->number();
}

}  // namespace

Core::Core(const QueueConfig& config, const Clock& clock, Store& store, LogStore& logs, Post post,
           Elsewhere elsewhere)
    : config_(config),
      clock_(clock),
      store_(store),
      log_store_(logs),
      post_(std::move(post)),
      elsewhere_(std::move(elsewhere)),
      placement_(config.jobs_per_device, config.aging),
      watches_(
          jobs_, [this](const JobRecord& record) { return decorate(record); }, post_) {}

StatusOr<std::unique_ptr<Core>> Core::make(const QueueConfig& config, const Clock& clock, Store& store,
                                           LogStore& logs, Post post, Elsewhere elsewhere) {
  std::unique_ptr<Core> core(new Core(config, clock, store, logs, std::move(post), std::move(elsewhere)));
  ASSIGN_OR_RETURN(StoreContent content, store.load());
  core->load(std::move(content));
  return core;
}

void Core::load(StoreContent content) {
  placement_.set_owner_weights(config_.owner_weights);
  placement_.set_host_memory(config_.host_memory_bytes);
  store_identity_ = {content.store_id, content.store_secret};
  revision_ = content.revision;
  last_id_ = content.last_id;
  ulids_ = UlidSource(last_id_);
  for (JobRecord& record : content.jobs) {
    const auto shared = std::make_shared<const JobRecord>(std::move(record));
    jobs_.put(shared);
    index(nullptr, shared.get());
  }
  devices_.set_drained(std::move(content.drained_devices));
  placement_.speeds().recall(std::move(content.speeds));
  watches_.restore(store_identity_.id, revision_);
  batch_.revision_before = revision_;
}

void Core::start(Workers& workers) {
  workers_ = &workers;
  for (const std::string& id : jobs_.ids()) {
    const RecordPtr record = jobs_.find(id);
    if (record->publishing || record->cleanup || attempt_is_open(record->job))
      take(JobEvent{id, event::Recover{}});
  }
  expiry_ = clock_.now();
  remove_orphans();
}

// Where the job stands in line, what it holds and what it waits for all follow from its record.
void Core::index(const JobRecord* before, const JobRecord* after) {
  const TimePoint now = clock_.now();
  if (before != nullptr) {
    const std::string& id = before->job.id();
    if (attempt_is_open(before->job) && !is_same_attempt(*before, after))
      placement_.release(attempt_device(before->job), id, now);
    if (after == nullptr || !attempt_is_open(after->job)) choices_.erase(id);
    if (!attempt_is_open(before->job) || !is_same_attempt(*before, after)) file_waits_.erase(id);
    held_.erase({before->not_before, id});
  }
  const bool may_wait = after != nullptr && may_start(*after);
  const bool is_held = after != nullptr && (may_wait || after->publishing) && after->not_before > now;
  const bool waits = may_wait && !is_held;
  if (before != nullptr && !waits) placement_.remove_waiting(before->job.id());
  if (after == nullptr) return;
  const v1::Job& job = after->job;
  if (attempt_is_open(job)) placement_.occupy(attempt_device(job), job, now);
  if (is_held) held_.emplace(after->not_before, job.id());
  if (waits) placement_.set_waiting(job, now);
}

void Core::put(const RecordPtr& before, const RecordPtr& after, bool seen) {
  const std::string& id = after->job.id();
  batch_.before.try_emplace(id, before);
  if (seen) batch_.seen.push_back({before, after});
  jobs_.put(after);
  if (const std::string& owner = after->job.settings().owner();
      jobs_.bytes_of(owner).all > config_.owner_bytes)
    full_owners_.insert(owner);
  index(before.get(), after.get());
  const bool is_over = is_final(after->job.state());
  if (is_over && forgets()) expiry_ = std::min(expiry_, clock_.now());
  if (is_over && !(before != nullptr && is_final(before->job.state()))) ended_here_[id] = clock_.now();
  if (!is_over) ended_here_.erase(id);
  if (after->job.state() != v1::JOB_STATE_QUEUED) waiting_told_.erase(id);
  for (const JobRecord* record : {before.get(), after.get()})
    if (record != nullptr && attempt_is_open(record->job)) batch_.devices.insert(attempt_device(record->job));
}

// The record after the event; the same when it changed nothing.
StatusOr<RecordPtr> Core::apply_to(const RecordPtr& record, const Event& event) {
  ASSIGN_OR_RETURN(Transition transition, apply(*record, event, now(), delays()));
  const std::string& id = record->job.id();
  for (const Action& action : transition.actions) batch_.actions.emplace_back(id, action);
  if (!transition.log.empty()) batch_.logs.emplace_back(id, transition.log);
  if (transition.change == Transition::Change::kNone) return record;
  if (transition.change == Transition::Change::kNoted && !batch_.before.contains(id)) {
    auto after = std::make_shared<const JobRecord>(std::move(transition.record));
    jobs_.put(after);
    noted_.insert(id);
    if (!noted_due_) noted_due_ = clock_.now() + kNotedWaitAtMost;
    return RecordPtr(after);
  }
  const bool seen = transition.change == Transition::Change::kSeen;
  if (seen) transition.record.job.set_revision(++revision_);
  auto after = std::make_shared<const JobRecord>(std::move(transition.record));
  put(record, after, seen);
  return RecordPtr(after);
}

void Core::request(const std::string& id, const Event& event, const Callback<v1::Job>& done) {
  StatusOr<RecordPtr> record = jobs_.resolve(id);
  if (record.ok() && std::holds_alternative<event::Retry>(event) && is_final((*record)->job.state()))
    if (const Status alone = check_files((*record)->job.spec(), (*record)->real_paths); !alone.ok())
      record = alone;
  if (record.ok()) record = apply_to(*record, event);
  if (record.ok()) return answer_with_job((*record)->job.id(), done);
  batch_.answers.push_back([done, error = record.status()](const Status&) { done(error); });
}

// The job as it is after the whole batch: it may have been started in the same.
void Core::answer_with_job(const std::string& id, Callback<v1::Job> done) {
  batch_.answers.push_back([this, id, done = std::move(done)](const Status& status) {
    if (!status.ok()) return done(status);
    done(decorate(*jobs_.find(id)));
  });
}

void Core::run(const JobEvent& event) {
  const RecordPtr record = jobs_.find(event.job_id);
  if (record == nullptr) return;
  const bool open = attempt_is_open(record->job);
  const std::string device = open ? attempt_device(record->job) : "";
  const StatusOr<RecordPtr> after = apply_to(record, event.event);
  if (!after.ok()) log_warning({.job = event.job_id}, "{}", message_of(after.status()));
  const auto* stopped = std::get_if<event::Stopped>(&event.event);
  const bool worked = std::holds_alternative<event::SegmentDone>(event.event) ||
                      std::holds_alternative<event::Finished>(event.event) ||
                      (stopped != nullptr && !stopped->retriable);
  if (worked && open) devices_.worked(device);
}

void Core::run(const WorkerLoss& loss) {
  std::vector<std::string> blamed;
  for (const AttemptId& attempt : loss.attempts) {
    const RecordPtr record = jobs_.find(attempt.job_id);
    if (record == nullptr) continue;
    const bool asked_to_stop = record->job.state() != v1::JOB_STATE_RUNNING || record->checkpointing;
    const StatusOr<RecordPtr> after = apply_to(record, event::WorkerLost{attempt.attempt, loss.reason});
    if (!after.ok())
      log_warning({.job = attempt.job_id, .attempt = attempt.attempt}, "{}", message_of(after.status()));
    if (after.ok() && *after != record && !asked_to_stop) blamed.push_back(attempt.job_id);
  }
  if (!devices_.died(loss.device, blamed)) return;
  log_error("The device {} is out of service: its worker died {} times in a row at different jobs.",
            loss.device, kDeathsThatEndADevice);
  tell_device(loss.device);
}

// Back-offs and rests that are over.
void Core::run_due() {
  const TimePoint time = clock_.now();
  while (!held_.empty() && held_.begin()->first <= time) {
    const std::string id = held_.begin()->second;
    held_.erase(held_.begin());
    const RecordPtr record = jobs_.find(id);
    if (record->publishing)
      take(JobEvent{id, event::PublishDue{}});
    else
      placement_.set_waiting(record->job, time);
  }
  rests_end_ = devices_.end_rests(time);
  if (logs_due_ && *logs_due_ <= time) {
    log_store_.flush();
    logs_due_.reset();
  }
  if (waiting_due_ && *waiting_due_ <= time) tell_waiting();
}

void Core::run_inbox() {
  while (!inbox_.empty()) {
    DurableEvent event = std::move(inbox_.front());
    inbox_.pop_front();
    std::visit([this](const auto& e) { run(e); }, event);
    batch_.events.push_back(std::move(event));
  }
}

// What other programs take is known while nothing of ours runs.
void Core::look_at_memory() {
  if (!config_.available_memory || placement_.anything_runs() || !placement_.anything_waits()) return;
  placement_.set_host_memory(std::clamp<int64_t>(config_.available_memory(), 1, config_.host_memory_bytes));
}

void Core::place() {
  if (workers_ == nullptr || draining_) return;
  look_at_memory();
  while (std::optional<Assignment> assignment = placement_.next(clock_.now())) {
    const StatusOr<RecordPtr> after =
        apply_to(jobs_.find(assignment->job_id), event::Start{assignment->choice.device});
    if (after.ok()) {
      choices_[assignment->job_id] = std::move(assignment->choice);
      continue;
    }
    log_error({.job = assignment->job_id}, "{}", message_of(after.status()));
    placement_.remove_waiting(assignment->job_id);
  }
}

Status Core::commit() {
  run_due();
  run_inbox();
  place();
  find_expired();
  // Answers may begin the next batch.
  Batch batch = std::exchange(batch_, Batch{});
  if (Status status = write(batch); !status.ok()) {
    take_back(std::move(batch), status);
    return status;
  }
  batch_.revision_before = revision_;
  tell(batch);
  // Before the answers: whoever hears that a job is cancelled may count on its worker being told.
  for (const auto& [id, action] : batch.actions) perform(id, action);
  for (const auto& answer : batch.answers) answer(ok_status());
  forget(batch.forgotten);
  if (draining_ && !placement_.anything_runs() && files_at_work_ == 0 && inbox_.empty())
    for (const auto& done : std::exchange(drained_, {})) done();
  return ok_status();
}

Status Core::write(const Batch& batch) {
  const bool is_due =
      (speeds_due_ && *speeds_due_ <= clock_.now()) || (noted_due_ && *noted_due_ <= clock_.now());
  if (batch.before.empty() && batch.forgotten.empty() && !batch.drained_before && !is_due) return ok_status();
  StoreChange change;
  for (const auto& [id, before] : batch.before) change.jobs.push_back(jobs_.find(id));
  for (const std::string& id : noted_)
    if (const RecordPtr record = jobs_.find(id); record != nullptr && !batch.before.contains(id))
      change.jobs.push_back(record);
  change.revision = revision_;
  change.last_id = last_id_;
  change.removed.assign(batch.forgotten.begin(), batch.forgotten.end());
  for (const auto& [before, after] : batch.seen)
    for (Total& total : totals_of(before.get(), *after)) change.totals.push_back(std::move(total));
  if (batch.drained_before) change.drained_devices = &devices_.drained();
  change.speeds = placement_.speeds().to_keep();
  RETURN_IF_ERROR(store_.commit(change));
  placement_.speeds().kept();
  speeds_due_.reset();
  noted_.clear();
  noted_due_.reset();
  return ok_status();
}

void Core::take_back(Batch batch, const Status& error) {
  log_error("The store cannot be written, {} changes are taken back: {}", batch.before.size(),
            message_of(error));
  for (const auto& [id, before] : batch.before) {
    const RecordPtr after = jobs_.find(id);
    index(after.get(), before.get());
    if (before == nullptr)
      jobs_.remove(id);
    else
      jobs_.put(before);
  }
  revision_ = batch.revision_before;
  batch_.revision_before = revision_;
  if (batch.drained_before) devices_.set_drained(*std::move(batch.drained_before));
  inbox_.insert(inbox_.begin(), std::make_move_iterator(batch.events.begin()),
                std::make_move_iterator(batch.events.end()));
  for (const auto& answer : batch.answers) answer(error);
}

void Core::tell(const Batch& batch) {
  for (const auto& [id, text] : batch.logs) log(id, jobs_.find(id)->job.attempt(), "info", text);
  for (const auto& [before, after] : batch.seen) {
    watches_.changed(before, after);
    if (is_final(after->job.state())) wake_logs(after->job.id());
  }
  for (const std::string& id : batch.devices) tell_device(id);
  if (!batch.seen.empty()) waiting_changed();
}

void Core::perform(const std::string& id, const Action& action) {
  if (workers_ == nullptr) return;
  const RecordPtr record = jobs_.find(id);
  switch (action.kind) {
    case Action::Kind::kStart:
      return perform_start(record);
    case Action::Kind::kStop:
      return workers_->stop({id, record->job.attempt()}, action.stop);
    case Action::Kind::kChange:
      return workers_->change({id, record->job.attempt()}, record->job.settings());
    case Action::Kind::kPublish:
      return perform_publish(record);
    case Action::Kind::kDiscard:
      return work_elsewhere(outputs_of_spec(record->job.spec()), [workers = workers_, record] {
        const Status status = workers->discard(record->job);
        FAULT_POINT("queue.discard.after");
        return JobEvent{record->job.id(), event::Discarded{status}};
      });
  }
}

void Core::perform_start(const RecordPtr& record) {
  const v1::Job& job = record->job;
  const AttemptId attempt{job.id(), job.attempt()};
  FAULT_POINT("queue.start.before");
  const Status status = workers_->start(attempt, *record, job.device());
  if (status.ok()) return;
  log_warning({.job = attempt.job_id, .attempt = attempt.attempt}, "The start was refused: {}",
              message_of(status));
  log(attempt.job_id, attempt.attempt, "warning", message_of(status));
  // A device without a worker would refuse every job in line.
  if (status.code() == StatusCode::kUnavailable) {
    devices_.rest(job.device(), clock_.now() + config_.retry_delay, message_of(status));
    rests_end_ = std::min(rests_end_, clock_.now() + config_.retry_delay);
  }
  take(JobEvent{attempt.job_id, event::StartRefused{attempt.attempt, status}});
}

void Core::perform_publish(const RecordPtr& record) {
  publishing_[record->job.id()] = clock_.now();
  work_elsewhere(outputs_of_spec(record->job.spec()), [workers = workers_, record] {
    FAULT_POINT("queue.publish.before_rename");
    const Status status = workers->publish(*record);
    FAULT_POINT("queue.publish.after_rename");
    if (!status.ok())
      log_warning({.job = record->job.id(), .attempt = record->job.attempt()}, "Publishing failed: {}",
                  message_of(status));
    return JobEvent{record->job.id(), event::Published{record->job.attempt(), status}};
  });
}

void Core::work_elsewhere(std::vector<std::string> paths, std::function<JobEvent()> work) {
  files_at_work_++;
  elsewhere_(std::move(paths), std::move(work), [this](JobEvent event) {
    files_at_work_--;
    if (std::holds_alternative<event::Published>(event.event)) publishing_.erase(event.job_id);
    take(std::move(event));
  });
}

TimePoint Core::next_due() const {
  TimePoint due = std::min(rests_end_, expiry_);
  if (workers_ != nullptr && !draining_) due = std::min(due, placement_.next_due());
  if (!held_.empty()) due = std::min(due, held_.begin()->first);
  if (logs_due_) due = std::min(due, *logs_due_);
  for (const auto& each : {speeds_due_, noted_due_, waiting_due_})
    if (each) due = std::min(due, *each);
  return due;
}

// Written with the next commit, or after a while without one.
void Core::keep_speeds() {
  if (!speeds_due_) speeds_due_ = clock_.now() + kSpeedsWaitAtMost;
}

void Core::log(const std::string& job_id, int attempt, std::string_view level, std::string_view text) {
  log_store_.append(job_id, attempt, level, text, clock_.wall_now());
  if (!logs_due_) logs_due_ = clock_.now() + kLogsWaitAtMost;
  wake_logs(job_id);
}

}  // namespace weft::queue
