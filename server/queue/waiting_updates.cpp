// SPDX-License-Identifier: Apache-2.0
#include "server/queue/waiting_updates.h"

#include <chrono>
#include <functional>

namespace weft::queue {
namespace {

constexpr Duration kUpdateInterval = std::chrono::seconds(1);  // between two reports

}  // namespace

void WaitingUpdates::follow(const JobRecord* after) {
  if (after != nullptr && after->job.state() != v1::JOB_STATE_QUEUED) sent_at_.erase(after->job.id());
}

// Reports a limited number of jobs at a time, since a queue may be long.
void WaitingUpdates::changed() {
  if (!watches_.any()) return sent_at_.clear();  // a new watch begins with the present state
  is_stale_ = true;
  if (!due_) due_ = clock_.now() + kUpdateInterval;
}

// Reports are needed since waiting reasons change without an event of the job.
void WaitingUpdates::send_due() {
  if (!due_ || *due_ > clock_.now()) return;
  due_.reset();
  if (sent_to_.empty()) is_stale_ = false;
  v1::JobFilter queued;
  queued.add_states(v1::JOB_STATE_QUEUED);
  const JobTable::Stretch stretch = ledger_.jobs().stretch(queued, sent_to_, ledger_.last_id());
  for (const RecordPtr& record : stretch.jobs) {
    const std::string& id = record->job.id();
    if (ledger_.has_changed(id)) continue;  // the batch reports this job
    const size_t now = std::hash<std::string>()(
        fmt::format("{} {}", placement_.position_of(id, clock_.now()), views_.waiting_reason(*record)));
    const auto [known, is_new] = sent_at_.try_emplace(id, now);
    if (!is_new && known->second == now) continue;
    known->second = now;
    watches_.progressed(record);
  }
  sent_to_ = stretch.end ? "" : stretch.last;
  if (!stretch.end || is_stale_) due_ = clock_.now() + kUpdateInterval;
}

}  // namespace weft::queue
