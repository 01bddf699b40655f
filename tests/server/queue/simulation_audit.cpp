// SPDX-License-Identifier: Apache-2.0
// What must hold in a simulation, whatever happens; and the client that watches.
#include <algorithm>
#include <utility>

#include "tests/server/queue/simulation.h"

namespace weft::queue {
namespace {

bool may_use(const v1::Job& job, const std::string& device) {
  // The simulated vulkan:0 is software: by name alone.
  return job.settings().device().empty() ? device != "vulkan:0" : job.settings().device() == device;
}

// The order that users were promised, written down a second time.
bool goes_before(const v1::Job& a, const v1::Job& b) {
  const auto rank = [](const v1::Job& job) {
    return job.settings().job_class() == v1::JOB_CLASS_SPARE ? 1 : 0;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.settings().priority() != b.settings().priority())
    return a.settings().priority() > b.settings().priority();
  // Owners share what is equal so far (shares_test.cpp).
  return a.settings().owner() == b.settings().owner() && a.id() < b.id();
}

}  // namespace

void Simulation::check_order(const v1::Job& started, const std::string& device) {
  for (const RecordPtr& record : all_jobs()) {
    const v1::Job& job = record->job;
    if (!may_start(*record) || record->not_before > clock_.now()) continue;
    // It may rather wait for a device where it will be done sooner.
    if (job.estimate().units_in() > 0 && job.settings().device().empty()) continue;
    if (may_use(job, device) && goes_before(job, started))
      violate(fmt::format("{} starts on {} although {} is before it.", started.id(), device, job.id()));
  }
}

void Simulation::audit_final_states() {
  for (const auto& [id, seen] : finals_) {
    const RecordPtr record = core_->jobs().find(id);
    if (record == nullptr) {
      violate(fmt::format("The final job {} is gone.", id));
      continue;
    }
    // A failed or cancelled job still learns when its attempt has stopped, and may be retried.
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
    if (job.attempt() > 0 && !job.attempts().empty() && job.attempts().rbegin()->number() > job.attempt())
      violate(fmt::format("{} has an attempt beyond its newest.", job.id()));
  }
  for (const auto& [device, count] : held) {
    if (count > config_.jobs_per_device) violate(fmt::format("{} holds {} jobs.", device, count));
    if (count != int(core_->placement().jobs_on(device).size()))
      violate(fmt::format("Placement miscounts what runs on {}.", device));
  }
  // A start that was refused changes what is best for others; that is the next batch's.
  if (!core_->has_work() && Placement(core_->placement()).next(clock_.now()))
    violate("A device is free and a job waits for it.");
}

void Simulation::audit() {
  for (const auto& [id, input] : acked_) {
    const RecordPtr record = core_->jobs().find(id);
    if (record == nullptr)
      violate(fmt::format("The acknowledged job {} is lost.", id));
    else if (record->job.spec().video().input() != input)
      violate(fmt::format("The acknowledged job {} is another one now.", id));
  }
  std::set<int64_t> revisions;
  for (const auto& [id, seen] : durable_) {
    if (!revisions.insert(seen.revision).second)
      violate(fmt::format("The revision {} is given twice.", seen.revision));
  }
  const int64_t newest = revisions.empty() ? 0 : *revisions.rbegin();
  if (newest < greatest_revision_) violate("Revisions go back.");
  greatest_revision_ = newest;
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
  if (replica_.jobs().size() != all_jobs().size())
    violate("The watching client knows jobs that are not there.");
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
  // One call of next may wait; its answer comes while the queue works.
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
  v1::Job& copy = jobs_[job.id()];
  if (job.revision() >= copy.revision()) copy = job;
}

}  // namespace weft::queue
