// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/batch_stage.h"

#include <utility>

namespace weft::worker {

BatchStage::BatchStage(graph::Batches& batches, DeviceLoop& loop, JobMeter& meter)
    : batches_(batches), loop_(loop), meter_(meter), work_(batches, [this] { wake(); }) {}

BatchStage::~BatchStage() { close(); }

Status BatchStage::open(schedule::SourceSpec source) {
  portions_ = std::max(source.portions, 1);
  ASSIGN_OR_RETURN(source_, loop_.open(std::move(source), work_));
  return ok_status();
}

void BatchStage::close() {
  if (source_ != 0) loop_.close(std::exchange(source_, 0));
}

Status BatchStage::run(const std::function<Status()>& feed, const std::function<Status()>& deliver) {
  {
    const std::jthread feeding([&] { keep(feed()); });
    keep(deliver());
  }
  return error();
}

void BatchStage::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  loop_.stop(source_);
}

bool BatchStage::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void BatchStage::change(schedule::SourceChanged change) {
  change.source = source_;
  loop_.change(change);
}

bool BatchStage::wait_for_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || input_ended_ || !error_.ok() || batches_.has_room(); });
  return !stopped_ && !input_ended_ && error_.ok();
}

void BatchStage::tell_ready() {
  loop_.ready(source_);
  const std::lock_guard lock(mutex_);  // whoever asks for room has asked, or waits
  changed_.notify_all();
}

void BatchStage::finish() {
  batches_.finish();
  {
    const std::lock_guard lock(mutex_);
    input_ended_ = true;
  }
  tell_ready();
}

bool BatchStage::wait_for_batch(int64_t seen) {
  std::unique_lock lock(mutex_);
  const auto is_done = [&] { return stopped_ || !error_.ok() || (input_ended_ && batches_.is_empty()); };
  changed_.wait(lock, [&] { return work_.batches() != seen || is_done(); });
  return !is_done();
}

void BatchStage::count_costs() {
  meter_.last_batch_units = (work_.last_units() + portions_ - 1) / portions_;
  for (const graph::BatchTime& cost : batches_.take_costs()) {
    meter_.filter.units += cost.units * counted_;
    meter_.device_ns += cost.filter.count();
    meter_.filter.busy_ns += cost.filter.count();
    meter_.beat();
  }
}

void BatchStage::wake() {
  meter_.beat();
  keep(work_.error());
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void BatchStage::keep(const Status& error) {
  if (error.ok()) return;
  {
    const std::lock_guard lock(mutex_);
    if (error_.ok()) error_ = error;
  }
  changed_.notify_all();
}

Status BatchStage::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace weft::worker
