// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/external_load_probe.h"

#include <limits>

namespace weft::worker {
namespace {

constexpr size_t kBytes = 256;

}  // namespace

StatusOr<std::unique_ptr<ExternalLoadProbe>> ExternalLoadProbe::open(device::Device& device,
                                                                     DeviceLoop& loop) {
  std::unique_ptr<ExternalLoadProbe> probe(new ExternalLoadProbe(loop));
  ASSIGN_OR_RETURN(probe->buffer_, device.allocate(device::MemoryKind::kDevice, kBytes));
  ASSIGN_OR_RETURN(probe->stream_, device.make_stream(device::StreamPriority::kLow));
  schedule::SourceSpec source;
  source.work_class = schedule::SourceClass::kSpare;
  source.priority = std::numeric_limits<int>::min();  // below the priority of every job
  source.cost_key.clear();                            // the time of a probe is not a cost of jobs
  source.declared_cost = std::chrono::microseconds(10);
  source.probes_only = true;
  ASSIGN_OR_RETURN(probe->source_, loop.open(std::move(source), *probe));
  loop.ready(probe->source_);
  return probe;
}

ExternalLoadProbe::~ExternalLoadProbe() {
  if (source_ != 0) loop_.close(source_);
}

Status ExternalLoadProbe::start(int, const graph::SubmittedBatch& after) {
  if (after.stream != nullptr) stream_->wait_for(*after.stream, after.end);
  graph::SubmittedBatch batch{stream_.get(), stream_->mark(), {}};
  stream_->fill(*buffer_, 0, kBytes, std::byte{0});  // a launch for the driver
  batch.end = stream_->mark();
  const std::lock_guard lock(mutex_);
  last_ = batch;
  running_.push_back(batch);
  return ok_status();
}

graph::SubmittedBatch ExternalLoadProbe::last_batch() {
  const std::lock_guard lock(mutex_);
  return last_;
}

graph::SubmittedBatch ExternalLoadProbe::oldest_batch() {
  const std::lock_guard lock(mutex_);
  return running_.empty() ? graph::SubmittedBatch() : running_.front();
}

StatusOr<Duration> ExternalLoadProbe::wait() {
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
