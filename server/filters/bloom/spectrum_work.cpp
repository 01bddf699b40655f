// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/spectrum_work.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::filters::bloom {

using device::MemoryKind;

StatusOr<std::unique_ptr<SpectrumWork>> SpectrumWork::make(device::Device& device,
                                                           const Convolution& convolution,
                                                           const BloomKernel& kernel,
                                                           const device::Buffer& spectrum, int portions) {
  std::unique_ptr<SpectrumWork> work(new SpectrumWork(convolution, spectrum, portions));
  work->image_bytes_ = kernel.rgba.size() * sizeof(float);
  ASSIGN_OR_RETURN(work->staging_, device.allocate(MemoryKind::kUpload, work->image_bytes_));
  ASSIGN_OR_RETURN(work->kernel_, device.allocate(MemoryKind::kDevice, work->image_bytes_));
  ASSIGN_OR_RETURN(work->scratch_, device.allocate(MemoryKind::kDevice, convolution.scratch_bytes(1)));
  ASSIGN_OR_RETURN(work->stream_, device.make_stream());
  std::memcpy(work->staging_->host(), kernel.rgba.data(), work->image_bytes_);
  work->image_ = {work->kernel_.get(), 0, kernel.width, kernel.height, kernel.centre_x, kernel.centre_y};
  RETURN_IF_ERROR(convolution.check_kernel(*work->scratch_, work->image_));
  return work;
}

SpectrumWork::~SpectrumWork() {
  // An error was told by wait_for.
  if (stream_ != nullptr) stream_->wait_all().IgnoreError();
}

int SpectrumWork::ready() const {
  const std::lock_guard lock(mutex_);
  return portions_ - submitted_;
}

int SpectrumWork::submit(int max_units, const SubmittedBatch& after) {
  const std::lock_guard lock(mutex_);
  const int units = std::min(portions_ - submitted_, max_units);
  if (units <= 0) return 0;
  if (after.stream != nullptr && after.stream != stream_.get()) stream_->wait_for(*after.stream, after.end);
  const device::Mark begin = stream_->mark();
  if (submitted_ == 0) stream_->copy(*kernel_, 0, *staging_, 0, image_bytes_);
  convolution_.enqueue_spectrum(*stream_, *scratch_, image_, spectrum_, 0,
                                portions_of(submitted_, units, portions_));
  last_ = {stream_.get(), begin, stream_->mark()};
  batch_[0].spans.add(last_.begin, last_.end);
  add_up_oldest(*stream_, batch_);
  submitted_ += units;
  return units;
}

SubmittedBatch SpectrumWork::last_batch() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

StatusOr<Duration> SpectrumWork::wait_for(const SubmittedBatch& batch) {
  RETURN_IF_ERROR(stream_->wait(batch.end));
  const std::lock_guard lock(mutex_);
  ended_ = ended_ || (submitted_ == portions_ && stream_->is_done(last_.end));
  return stream_->elapsed(batch.begin, batch.end);
}

bool SpectrumWork::is_empty() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::vector<BatchCost> SpectrumWork::take_costs() {
  const std::lock_guard lock(mutex_);
  if (!ended_ || std::exchange(costs_taken_, true)) return {};
  const StatusOr<Duration> time = batch_[0].spans.device_time(*stream_);
  return {{0, time.ok() ? *time : Duration()}};
}

}  // namespace weft::filters::bloom
