// SPDX-License-Identifier: Apache-2.0
// Checks the invariants of a simulation after all events, and implements the client that watches.
#include <algorithm>
#include <utility>

#include "server/queue/placement/task_placement.h"
#include "tests/server/queue/simulation.h"

namespace weft::queue {
namespace {

bool may_use(const v1::Job& job, const std::string& device) {
  if (!job.settings().devices().empty()) return job.settings().devices().find(device) != std::string::npos;
  // The simulated vulkan:0 is a software device. Only jobs that name it run there.
  return job.settings().device().empty() ? device != "vulkan:0" : job.settings().device() == device;
}

// The documented order of jobs, implemented a second time.
bool goes_before(const v1::Job& a, const v1::Job& b) {
  const auto rank = [](const v1::Job& job) {
    return job.settings().job_class() == v1::JOB_CLASS_SPARE ? 1 : 0;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.settings().priority() != b.settings().priority())
    return a.settings().priority() > b.settings().priority();
  // The order among owners with equal shares so far is tested in shares_test.cpp.
  return a.settings().owner() == b.settings().owner() && a.id() < b.id();
}

}  // namespace

void Simulation::check_order(const v1::Job& started, const std::string& device, int task) {
  for (const RecordPtr& record : all_jobs()) {
    const v1::Job& job = record->job;
    if (!may_start(*record) || record->not_before > clock_.now()) continue;
    if (task > 0 && may_use(job, device))
      violate(
          fmt::format("A task of {} starts on {} although {} waits for it.", started.id(), device, job.id()));
    if (task > 0) continue;
    // A job may wait for a device on which it is predicted to end sooner.
    if (job.estimate().units_in() > 0 && job.settings().device().empty()) continue;
    if (may_use(job, device) && goes_before(job, started))
      violate(fmt::format("{} starts on {} although {} is before it.", started.id(), device, job.id()));
  }
}

void Simulation::audit_final_states() {
  for (const auto& [id, seen] : finals_) {
    const RecordPtr record = core_->jobs().find(id);
    if (record == nullptr) {
      if (!forgetting_.contains(id)) violate(fmt::format("The final job {} is gone.", id));
      continue;
    }
    // A failed or cancelled job still receives the stop of its attempt, and it may be retried.
    const bool changed = seen.state == v1::JOB_STATE_SUCCEEDED
                             ? record->job.revision() != seen.revision
                             : record->job.state() != seen.state && !retried_.contains(id);
    if (changed) violate(fmt::format("The {} job {} changed.", state_name(seen.state), id));
  }
  finals_.clear();
  for (const auto& [id, seen] : durable_)
    if (is_final(seen.state)) finals_.emplace(id, seen);
}

void Simulation::audit_devices() {
  std::map<std::string, int> held;
  for (const RecordPtr& record : all_jobs()) {
    const v1::Job& job = record->job;
    if (job.state() == v1::JOB_STATE_RUNNING && !attempt_is_open(job) && !record->publishing)
      violate(fmt::format("{} is RUNNING without an attempt.", job.id()));
    if (is_final(job.state()) && record->publishing)
      violate(fmt::format("{} is final and publishing.", job.id()));
    if (attempt_is_open(job)) held[job.device()]++;
    for (const v1::JobTask* task : open_tasks(job)) {
      held[task->device()]++;
      if (!core_->has_work() && !task->stopping() && job.state() == v1::JOB_STATE_RUNNING &&
          TaskPlacement(core_->placement()).must_leave(*task))
        violate(
            fmt::format("A task of {} stays on {} although a job waits for it.", job.id(), task->device()));
    }
    if (job.attempt() > 0 && !job.attempts().empty() && job.attempts().rbegin()->number() > job.attempt())
      violate(fmt::format("{} has an attempt beyond its newest.", job.id()));
  }
  for (const auto& [device, count] : held) {
    if (count > config_.jobs_per_device) violate(fmt::format("{} holds {} jobs.", device, count));
    if (count != int(core_->placement().jobs_on(device).size()))
      violate(fmt::format("Placement miscounts what runs on {}.", device));
  }
  // A refused start changes the best choice of the other jobs. The next batch starts them.
  if (!core_->has_work() && Placement(core_->placement()).next(clock_.now()))
    violate("A device is free and a job waits for it.");
}

void Simulation::audit() {
  for (const auto& [id, input] : acked_) {
    const RecordPtr record = core_->jobs().find(id);
    if (record == nullptr && forgetting_.contains(id)) continue;
    if (record == nullptr)
      violate(fmt::format("The acknowledged job {} is lost.", id));
    else if (forgotten_.contains(id))
      violate(fmt::format("The forgotten job {} is back.", id));
    else if (record->job.spec().video().input() != input)
      violate(fmt::format("The acknowledged job {} is another one now.", id));
  }
  std::set<int64_t> revisions;
  for (const auto& [id, seen] : durable_) {
    if (!revisions.insert(seen.revision).second)
      violate(fmt::format("The revision {} is given twice.", seen.revision));
    const auto before = audited_.find(id);
    if ((before == audited_.end() || before->second != seen) && seen.revision <= greatest_revision_)
      violate("Revisions go back.");
  }
  audited_ = durable_;
  if (!revisions.empty()) greatest_revision_ = std::max(greatest_revision_, *revisions.rbegin());
  audit_final_states();
  audit_devices();
}

void Simulation::audit_end() {
  for (const RecordPtr& record : all_jobs()) {
    const v1::Job& job = record->job;
    const bool published = world_.was_published(job.id());
    if (published != (job.state() == v1::JOB_STATE_SUCCEEDED))
      violate(fmt::format("{} is {} and its file is {}.", job.id(), state_name(job.state()),
                          published ? "there" : "not there"));
    if (job.state() == v1::JOB_STATE_CANCELLED && world_.has_work_folder(job.id()))
      violate(fmt::format("The cancelled job {} leaves its work folder.", job.id()));
    if (record->cleanup) violate(fmt::format("{} is never cleaned up.", job.id()));
    const auto copy = replica_.jobs().find(job.id());
    if (copy == replica_.jobs().end() || copy->second.revision() != job.revision() ||
        copy->second.state() != job.state())
      violate(fmt::format("The watching client does not know {} as it is ({}, revision {}).", job.id(),
                          state_name(job.state()), job.revision()));
  }
  // A watch that is resumed is not told of the jobs that were forgotten meanwhile.
  for (const auto& [id, job] : replica_.jobs())
    if (core_->jobs().find(id) == nullptr && !forgetting_.contains(id))
      violate("The watching client knows jobs that are not there.");
  for (const auto& [id, input] : acked_)
    if (core_->jobs().find(id) == nullptr && world_.has_work_folder(id))
      violate(fmt::format("The job {} is forgotten and leaves its work folder.", id));
  if (!replica_.violation().empty()) violate(replica_.violation());
}

void Replica::connect(Core& core) {
  watch_ = std::make_shared<JobSubscription>(v1::JobFilter(), count_);
  asked_ = false;
  revision_ = 0;
  core.watch(watch_, token_);
}

void Replica::read(Core& core, int count) {
  if (watch_ == nullptr) return;
  // One call of next() may wait at a time. Its answer arrives while the queue works.
  for (int i = 0; i < count && !asked_; i++) {
    asked_ = true;
    watch_->next([this, &core, mine = watch_.get()](StatusOr<std::optional<v1::WatchJobsResponse>> event) {
      if (watch_.get() != mine) return;
      asked_ = false;
      if (event.ok()) return take(**event);
      if (event.status().code() != StatusCode::kOutOfRange) violation_ = message_of(event.status());
      token_.clear();
      jobs_.clear();
      lost_ = true;
    });
    if (std::exchange(lost_, false)) connect(core);
  }
}

void Replica::take(const v1::WatchJobsResponse& event) {
  if (!event.resume_token().empty()) token_ = event.resume_token();
  if (!event.has_job()) return;
  const v1::Job& job = event.job();
  if (event.kind() == v1::WatchJobsResponse::KIND_CHANGED) {
    if (job.revision() <= revision_) violation_ = "A watch's revisions do not rise.";
    revision_ = job.revision();
  }
  if (event.kind() == v1::WatchJobsResponse::KIND_FORGOTTEN) {
    jobs_.erase(job.id());
    return;
  }
  v1::Job& copy = jobs_[job.id()];
  if (job.revision() >= copy.revision()) copy = job;
}

}  // namespace weft::queue
