// SPDX-License-Identifier: Apache-2.0
#include "server/worker/preparing.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/worker/batch_work.h"

namespace weft::worker {

Status Preparing::run_all(filters::Batches& work, schedule::SourceSpec source, Duration longest) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  BatchWork batches(work, [this] { wake(); });
  source.max_units = source.units_per_frame = std::max(work.ready(), 1);
  source.cost_key += " prepared";
  schedule::SourceId id = 0;
  {
    const std::lock_guard lock(source_mutex_);
    ASSIGN_OR_RETURN(id, loop_.open(std::move(source), batches));
    source_ = id;
    if (change_.has_value()) {  // since the job's own was read
      change_->source = id;
      loop_.change(*change_);
    }
  }
  loop_.ready(id);
  bool in_time = true, stopped = false;
  {
    std::unique_lock lock(mutex_);
    const auto is_done = [&] { return stopped_ || !batches.error().ok() || work.is_submitted(); };
    if (longest == Duration::max())
      changed_.wait(lock, is_done);
    else
      in_time = changed_.wait_until(lock, begin + longest, is_done);
    stopped = stopped_;
  }
  {
    const std::lock_guard lock(source_mutex_);
    source_ = 0;
  }
  loop_.close(id);  // waits for what runs
  RETURN_IF_ERROR(batches.error());
  if (meter_ != nullptr)
    for (const filters::BatchCost& cost : work.take_costs()) meter_->device_ns += cost.filter.count();
  if (work.is_empty()) return ok_status();
  if (stopped) return cancelled("The filter is not prepared, since its job ended.");
  if (!in_time)
    return deadline_exceeded("The filter cannot be prepared: the device had no time for it (within {:g} s).",
                             std::chrono::duration<double>(longest).count());
  return internal_error("The filter's preparation ended before it was done.");
}

void Preparing::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  const std::lock_guard lock(source_mutex_);
  if (source_ != 0) loop_.stop(source_);
}

void Preparing::change(schedule::SourceChanged change) {
  const std::lock_guard lock(source_mutex_);
  change.source = source_;
  change_ = change;
  if (source_ != 0) loop_.change(change);
}

void Preparing::wake() {
  if (meter_ != nullptr) meter_->beat();
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

}  // namespace weft::worker
