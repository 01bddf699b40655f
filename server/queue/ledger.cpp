// SPDX-License-Identifier: Apache-2.0
#include "server/queue/ledger.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/log.h"

namespace weft::queue {
namespace {

constexpr Duration kSpeedsWaitAtMost = std::chrono::minutes(1);
constexpr Duration kNotedWaitAtMost = std::chrono::seconds(5);

}  // namespace

void Ledger::load(StoreContent content) {
  store_identity_ = {content.store_id, content.store_secret};
  revision_ = content.revision;
  last_id_ = content.last_id;
  ulids_ = UlidSource(last_id_);
  for (JobRecord& record : content.jobs) jobs_.put(std::make_shared<const JobRecord>(std::move(record)));
  devices_.set_drained(std::move(content.drained_devices));
  placement_.set_paused(content.is_paused);
  placement_.speeds().recall(std::move(content.speeds));
  batch_.revision_before = revision_;
}

StatusOr<RecordPtr> Ledger::apply(const RecordPtr& record, const Event& event) {
  ASSIGN_OR_RETURN(Transition transition,
                   queue::apply(*record, event, {clock_.now(), clock_.wall_now()}, delays_));
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

std::string Ledger::add(std::shared_ptr<JobRecord> record) {
  last_id_ = ulids_.next(clock_.wall_now());
  record->job.set_id(last_id_);
  record->job.set_revision(++revision_);
  put(nullptr, std::move(record), true);
  return last_id_;
}

void Ledger::put(const RecordPtr& before, const RecordPtr& after, bool seen) {
  batch_.before.try_emplace(after->job.id(), before);
  if (seen) batch_.seen.push_back({before, after});
  jobs_.put(after);
  follow_(before.get(), after.get());
  for (const JobRecord* record : {before.get(), after.get()})
    if (record != nullptr && attempt_is_open(record->job)) batch_.devices.insert(attempt_device(record->job));
}

void Ledger::set_drained(std::set<std::string> drained) {
  if (drained == devices_.drained()) return;
  if (!batch_.drained_before) batch_.drained_before = devices_.drained();
  devices_.set_drained(std::move(drained));
}

void Ledger::set_paused(bool paused) {
  if (paused == placement_.is_paused()) return;
  if (!batch_.paused_before) batch_.paused_before = placement_.is_paused();
  placement_.set_paused(paused);
}

StatusOr<Ledger::Batch> Ledger::write() {
  Batch batch = std::exchange(batch_, Batch{});
  const Status status = commit(batch);
  if (!status.ok()) take_back(batch, status);
  batch_.revision_before = revision_;
  if (!status.ok()) return status;
  return batch;
}

Status Ledger::commit(const Batch& batch) {
  const bool is_due =
      (speeds_due_ && *speeds_due_ <= clock_.now()) || (noted_due_ && *noted_due_ <= clock_.now());
  if (batch.before.empty() && batch.forgotten.empty() && !batch.drained_before && !batch.paused_before &&
      !is_due)
    return ok_status();
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
  if (batch.paused_before) change.is_paused = placement_.is_paused();
  change.speeds = placement_.speeds().to_keep();
  RETURN_IF_ERROR(store_.commit(change));
  placement_.speeds().kept();
  speeds_due_.reset();
  noted_.clear();
  noted_due_.reset();
  return ok_status();
}

void Ledger::take_back(const Batch& batch, const Status& error) {
  log_error("The store cannot be written, {} changes are taken back: {}", batch.before.size(),
            message_of(error));
  for (const auto& [id, before] : batch.before) {
    const RecordPtr after = jobs_.find(id);
    if (before == nullptr)
      jobs_.remove(id);
    else
      jobs_.put(before);
    follow_(after.get(), before.get());
  }
  revision_ = batch.revision_before;
  if (batch.drained_before) devices_.set_drained(*batch.drained_before);
  if (batch.paused_before) placement_.set_paused(*batch.paused_before);
}

void Ledger::keep_speeds() {
  if (!speeds_due_) speeds_due_ = clock_.now() + kSpeedsWaitAtMost;
}

TimePoint Ledger::next_due() const {
  return std::min(speeds_due_.value_or(TimePoint::max()), noted_due_.value_or(TimePoint::max()));
}

}  // namespace weft::queue
