// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/batch_stage.h"

#include <utility>

namespace weft::worker {

BatchStage::BatchStage(graph::Batches& batches, DeviceLoop& loop, JobMeter& meter,
                       std::function<void()> changed)
    : batches_(batches), loop_(loop), meter_(meter), on_change_(std::move(changed)), work_(batches, [this] {
        wake();
      }) {}

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
  download_ = DeviceTrack("download");
  {
    const std::jthread feeding([&, parent = current_track()] {
      const TracedThread traced(parent, "upload");
      fail(feed());
    });
    fail(deliver());
  }
  return error();
}

void BatchStage::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  notify();
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

bool BatchStage::wait_for_capacity() {
  std::unique_lock lock(mutex_);
  traced_wait(changed_, lock, "device full",
              [&] { return stopped_ || input_ended_ || !error_.ok() || batches_.has_capacity(); });
  return !stopped_ && !input_ended_ && error_.ok();
}

void BatchStage::notify_ready() {
  loop_.ready(source_);
  notify();
}

void BatchStage::finish() {
  batches_.finish();
  {
    const std::lock_guard lock(mutex_);
    input_ended_ = true;
  }
  notify_ready();
}

bool BatchStage::wait_for_batch(int64_t seen) {
  std::unique_lock lock(mutex_);
  const auto is_done = [&] { return stopped_ || !error_.ok() || (input_ended_ && batches_.is_empty()); };
  traced_wait(changed_, lock, "no batch", [&] { return work_.batches() != seen || is_done(); });
  return !is_done();
}

void BatchStage::count_costs() {
  meter_.last_batch_units = (work_.last_units() + portions_ - 1) / portions_;
  for (const graph::BatchTime& cost : batches_.take_costs()) {
    meter_.filter.units += cost.units * counted_;
    meter_.device_ns += cost.filter.count();
    meter_.filter.busy_ns += cost.filter.count();
    download_.record_download(cost);
    meter_.beat();
  }
}

void BatchStage::wake() {
  meter_.beat();
  fail(work_.error());
  notify();
}

void BatchStage::notify() {
  {
    // a waiting caller either has not checked its condition yet, or is woken
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  if (on_change_) on_change_();
}

void BatchStage::fail(const Status& error) {
  if (error.ok()) return;
  {
    const std::lock_guard lock(mutex_);
    if (error_.ok()) error_ = error;
  }
  notify();
}

bool BatchStage::is_complete() const {
  const std::lock_guard lock(mutex_);
  return input_ended_ && batches_.is_empty();
}

Status BatchStage::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace weft::worker
