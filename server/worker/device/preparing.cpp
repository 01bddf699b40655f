// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/preparing.h"

#include <chrono>
#include <utility>

#include "server/worker/device/batch_work.h"

namespace weft::worker {

Status Preparing::run(device::Device& device, graph::Network& network, schedule::SourceSpec source,
                      Duration longest) {
  for (graph::Preparation& preparation : network.preparations())
    RETURN_IF_ERROR(prepare(device, std::move(preparation), source, longest));
  network.preparations().clear();
  return ok_status();
}

Status Preparing::prepare(device::Device& device, graph::Preparation preparation, schedule::SourceSpec source,
                          Duration longest) {
  std::unique_ptr<graph::Pipeline> pipeline;
  {
    const auto driver_lock = loop_.driver_lock();
    ASSIGN_OR_RETURN(
        pipeline, graph::Pipeline::make(device, std::move(*preparation.network), {.plan = graph::kOneUnit}));
    RETURN_IF_ERROR(graph::push_only_unit(*pipeline, preparation.unit));
  }
  source.max_units = source.portions = pipeline->max_units();
  source.cost_key += " prepared";
  const auto take = [&]() -> StatusOr<bool> {
    // the network has no output, but pop() counts costs
    ASSIGN_OR_RETURN(const auto unit, pipeline->pop());
    return unit.has_value();
  };
  const Status status = run_all(*pipeline, std::move(source), longest, "The filter cannot be prepared", take);
  const auto driver_lock = loop_.driver_lock();  // for freeing memory
  pipeline.reset();
  RETURN_IF_ERROR(status);
  preparation.done();
  return ok_status();
}

Status Preparing::run_all(graph::Batches& work, schedule::SourceSpec source, Duration longest,
                          std::string_view what, const std::function<StatusOr<bool>()>& step) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  BatchWork batches(work, [this] { wake(); });
  schedule::SourceId id = 0;
  {
    const std::lock_guard lock(source_mutex_);
    ASSIGN_OR_RETURN(id, loop_.open(std::move(source), batches));
    source_ = id;
    if (change_.has_value()) {  // a change that arrived after the caller had read the source
      change_->source = id;
      loop_.change(*change_);
    }
  }
  StatusOr<bool> again = false;
  bool in_time = true, stopped = false;
  while (again.ok() && batches.error().ok() && in_time && !work.is_submitted()) {
    int64_t seen = 0;
    {
      const std::lock_guard lock(mutex_);
      seen = changes_;
      stopped = stopped_;
    }
    if (stopped) break;
    if (step) again = step();
    loop_.ready(id);
    std::unique_lock lock(mutex_);
    const auto goes_on = [&] {  // the last step may have left no unit to start
      return stopped_ || changes_ != seen || !again.ok() || *again || work.is_submitted();
    };
    if (longest == Duration::max())
      changed_.wait(lock, goes_on);
    else
      in_time = changed_.wait_until(lock, begin + longest, goes_on);
  }
  {
    const std::lock_guard lock(source_mutex_);
    source_ = 0;
  }
  loop_.close(id);  // blocks until running work has ended
  do {
    if (step && again.ok()) again = step();
  } while (step && again.ok() && *again);
  RETURN_IF_ERROR(again.status());
  RETURN_IF_ERROR(batches.error());
  if (meter_ != nullptr)
    for (const graph::BatchTime& cost : work.take_costs()) meter_->device_ns += cost.filter.count();
  if (work.is_submitted()) return ok_status();
  if (stopped) return cancelled("{}: it was stopped.", what);
  return deadline_exceeded("{}: the device had no time for it (within {:g} s).", what,
                           std::chrono::duration<double>(longest).count());
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

bool Preparing::waits_for_turn() const {
  const std::lock_guard lock(source_mutex_);
  return source_ != 0 && loop_.waits_for_turn(source_);
}

void Preparing::wake() {
  if (meter_ != nullptr) meter_->beat();
  const std::lock_guard lock(mutex_);
  changes_++;
  changed_.notify_all();
}

}  // namespace weft::worker
