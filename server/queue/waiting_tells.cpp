// SPDX-License-Identifier: Apache-2.0
#include "server/queue/waiting_tells.h"

#include <chrono>
#include <functional>

namespace weft::queue {
namespace {

constexpr Duration kWaitingTold = std::chrono::seconds(1);  // between looks at queued jobs

}  // namespace

void WaitingTells::follow(const JobRecord* after) {
  if (after != nullptr && after->job.state() != v1::JOB_STATE_QUEUED) told_.erase(after->job.id());
}

// Some at a time: a queue may be long.
void WaitingTells::changed() {
  if (!watches_.any()) return told_.clear();  // a new watch begins with the state of its time
  is_stale_ = true;
  if (!due_) due_ = clock_.now() + kWaitingTold;
}

// Waiting reasons change without an event of the job.
void WaitingTells::tell_due() {
  if (!due_ || *due_ > clock_.now()) return;
  due_.reset();
  if (told_to_.empty()) is_stale_ = false;
  v1::JobFilter queued;
  queued.add_states(v1::JOB_STATE_QUEUED);
  const JobTable::Stretch stretch = ledger_.jobs().stretch(queued, told_to_, ledger_.last_id());
  for (const RecordPtr& record : stretch.jobs) {
    const std::string& id = record->job.id();
    if (ledger_.has_changed(id)) continue;  // which is told with the batch
    const size_t now = std::hash<std::string>()(
        fmt::format("{} {}", placement_.position_of(id, clock_.now()), views_.waiting_reason(*record)));
    const auto [known, is_new] = told_.try_emplace(id, now);
    if (!is_new && known->second == now) continue;
    known->second = now;
    watches_.progressed(record);
  }
  told_to_ = stretch.end ? "" : stretch.last;
  if (!stretch.end || is_stale_) due_ = clock_.now() + kWaitingTold;
}

}  // namespace weft::queue
