// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/planned_fetch.h"

#include <utility>

namespace weft::worker {

StatusOr<std::unique_ptr<PlannedFetch>> PlannedFetch::open(device::Device& device, DeviceLoop& loop,
                                                           schedule::SourceSpec source,
                                                           const std::string& format, Duration longest_hold) {
  const auto driver_lock = loop.driver_lock();
  const bool can_hold = device.info().can_hold_back;
  ASSIGN_OR_RETURN(auto stream,
                   device.make_stream(device::StreamPriority::kLow,
                                      can_hold ? device::StreamUse::kHeldBack : device::StreamUse::kAny));
  std::unique_ptr<PlannedFetch> fetch(new PlannedFetch(std::move(stream), loop, can_hold, longest_hold));
  source.cost_key = fmt::format("nvdec {}", format);
  source.max_units = 1;
  ASSIGN_OR_RETURN(fetch->source_, loop.open(std::move(source), *fetch));
  return fetch;
}

PlannedFetch::PlannedFetch(std::unique_ptr<device::Stream> stream, DeviceLoop& loop, bool can_hold,
                           Duration longest_hold)
    : stream_(std::move(stream)),
      loop_(loop),
      can_hold_(can_hold),
      longest_hold_(longest_hold),
      late_([this](const std::stop_token& stop) { release_late(stop); }) {}

PlannedFetch::~PlannedFetch() {
  release();
  if (source_ != 0) loop_.close(source_);
}

void PlannedFetch::expect() {
  if (!can_hold_ || !loop_.protects_others() || loop_.is_opening()) return;
  {
    const std::lock_guard lock(mutex_);
    if (failed_ || step_ != Step::kFree) return;
    step_ = Step::kHeld;
    holds_++;
    held_since_ = std::chrono::steady_clock::now();
    changed_.notify_all();
  }
  stream_->hold();
  const device::Mark begin = stream_->mark();
  const std::lock_guard lock(mutex_);
  batch_ = {stream_.get(), begin, begin};
  // release() may have been called just before the stream was held.
  if (step_ != Step::kHeld || loop_.is_opening()) {
    step_ = Step::kFree;
    stream_->release();
  }
}

void PlannedFetch::enqueued() {
  {
    const std::lock_guard lock(mutex_);
    if (step_ != Step::kHeld) return;
  }
  const device::Mark end = stream_->mark();
  {
    const std::lock_guard lock(mutex_);
    if (step_ != Step::kHeld) return;
    batch_.end = end;
    step_ = Step::kEnqueued;
  }
  loop_.ready(source_);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return step_ != Step::kEnqueued; });
  }
  loop_.ready(source_);  // reports that no unit is ready, also after a release outside start()
}

std::shared_ptr<const void> PlannedFetch::keep(const Surface& surface) {
  if (frames_ == nullptr || loop_.protects_others()) return nullptr;
  release();  // ends a hold from before the external load ended
  std::shared_ptr<const KeptFrame> frame = frames_->enqueue(*stream_, surface);
  if (frame == nullptr || !stream_->wait(stream_->mark()).ok()) return nullptr;
  return frame;
}

StatusOr<media::PictureView> PlannedFetch::read(const void* kept) {
  if (frames_ == nullptr) return failed_precondition("A frame is read after its memory was given up.");
  release();  // the held transfer does not contain this frame
  return frames_->read(*stream_, *static_cast<const KeptFrame*>(kept));
}

void PlannedFetch::release() {
  const std::lock_guard lock(mutex_);
  if (step_ == Step::kFree) return;
  step_ = Step::kFree;
  stream_->release();
  changed_.notify_all();
}

void PlannedFetch::release_late(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return step_ != Step::kFree; })) {
    const uint64_t mine = holds_;
    const auto is_over = [&] { return holds_ != mine || step_ == Step::kFree; };
    if (changed_.wait_until(lock, stop, held_since_ + longest_hold_, is_over) || stop.stop_requested())
      continue;
    step_ = Step::kFree;
    stream_->release();
    changed_.notify_all();
  }
}

void PlannedFetch::change(schedule::SourceChanged change) {
  change.source = source_;
  loop_.change(change);
}

DeviceWork::Ready PlannedFetch::ready() {
  const std::lock_guard lock(mutex_);
  return {step_ == Step::kEnqueued ? 1 : 0, 1, false, failed_};
}

// Starts the held transfer. A transfer that was released before its turn already runs; only its end
// remains to be awaited.
Status PlannedFetch::start(int, const graph::SubmittedBatch&) {
  const std::lock_guard lock(mutex_);
  running_.push_back(batch_);
  if (step_ != Step::kEnqueued) return ok_status();
  step_ = Step::kFree;
  stream_->release();
  changed_.notify_all();
  return ok_status();
}

graph::SubmittedBatch PlannedFetch::last_batch() {
  const std::lock_guard lock(mutex_);
  return batch_;
}

graph::SubmittedBatch PlannedFetch::oldest_batch() {
  const std::lock_guard lock(mutex_);
  return running_.empty() ? graph::SubmittedBatch() : running_.front();
}

StatusOr<Duration> PlannedFetch::wait() {
  graph::SubmittedBatch batch;
  {
    const std::lock_guard lock(mutex_);
    if (running_.empty()) return internal_error("A fetch is waited for that was not started.");
    batch = running_.front();
    running_.pop_front();
  }
  RETURN_IF_ERROR(stream_->wait(batch.end));
  return stream_->elapsed(batch.begin, batch.end);
}

// The job's filter, on the same device, reports the error.
void PlannedFetch::failed(const Status&) {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  step_ = Step::kFree;
  stream_->release();
  changed_.notify_all();
}

}  // namespace weft::worker
