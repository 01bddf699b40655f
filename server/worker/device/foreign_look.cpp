// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/foreign_look.h"

#include <limits>

namespace weft::worker {
namespace {

constexpr size_t kBytes = 256;

}  // namespace

StatusOr<std::unique_ptr<ForeignLook>> ForeignLook::open(device::Device& device, DeviceLoop& loop) {
  std::unique_ptr<ForeignLook> look(new ForeignLook(loop));
  ASSIGN_OR_RETURN(look->buffer_, device.allocate(device::MemoryKind::kDevice, kBytes));
  ASSIGN_OR_RETURN(look->stream_, device.make_stream(device::StreamPriority::kLow));
  schedule::SourceSpec source;
  source.work_class = schedule::SourceClass::kSpare;
  source.priority = std::numeric_limits<int>::min();  // shares with nobody
  source.cost_key.clear();                            // what a launch takes says nothing of jobs
  source.declared_cost = std::chrono::microseconds(10);
  source.looks_only = true;
  ASSIGN_OR_RETURN(look->source_, loop.open(std::move(source), *look));
  loop.ready(look->source_);
  return look;
}

ForeignLook::~ForeignLook() {
  if (source_ != 0) loop_.close(source_);
}

Status ForeignLook::start(int, const graph::SubmittedBatch& after) {
  if (after.stream != nullptr) stream_->wait_for(*after.stream, after.end);
  graph::SubmittedBatch batch{stream_.get(), stream_->mark(), {}};
  stream_->fill(*buffer_, 0, kBytes, std::byte{0});  // which is a launch, for the driver
  batch.end = stream_->mark();
  const std::lock_guard lock(mutex_);
  last_ = batch;
  running_.push_back(batch);
  return ok_status();
}

graph::SubmittedBatch ForeignLook::last_batch() {
  const std::lock_guard lock(mutex_);
  return last_;
}

graph::SubmittedBatch ForeignLook::oldest_batch() {
  const std::lock_guard lock(mutex_);
  return running_.empty() ? graph::SubmittedBatch() : running_.front();
}

StatusOr<Duration> ForeignLook::wait() {
  graph::SubmittedBatch batch;
  {
    const std::lock_guard lock(mutex_);
    if (running_.empty()) return internal_error("A look is waited for that was not started.");
    batch = running_.front();
    running_.pop_front();
  }
  RETURN_IF_ERROR(stream_->wait(batch.end));
  return stream_->elapsed(batch.begin, batch.end);
}

}  // namespace weft::worker
