// SPDX-License-Identifier: Apache-2.0
#include "server/filters/image_ring.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::filters {
namespace {

using device::Mark;
using device::MemoryKind;

// Two batches on the device, and one that goes up or comes down.
constexpr int kBatchesOfSlots = 3;

}  // namespace

ImageRing::ImageRing(std::unique_ptr<ImageFilter> filter, const ImageRingOptions& options)
    : filter_(std::move(filter)), options_(options), portions_(std::max(filter_->portions(), 1)) {
  options_.in_flight = std::max(options_.in_flight, 1);
  int batch = std::clamp(options_.batch, 1, portions_ > 1 ? 1 : std::max(filter_->max_frames(), 1));
  if (options_.images > 0) batch = int(std::min<int64_t>(batch, options_.images));
  set_batch(batch);
  while (options_.most_bytes > 0 && options_.batch > 1 && device_bytes() > options_.most_bytes)
    set_batch(options_.batch / 2);
}

void ImageRing::set_batch(int batch) {
  options_.batch = batch;
  slots_ = kBatchesOfSlots * batch;
  if (options_.images > 0) slots_ = int(std::min<int64_t>(slots_, options_.images));
}

size_t ImageRing::device_bytes() const {
  return size_t(slots_) * (filter_->source_bytes() + filter_->target_bytes() + filter_->report_bytes()) +
         filter_->scratch_bytes(options_.batch);
}

StatusOr<std::unique_ptr<ImageRing>> ImageRing::make(device::Device& device,
                                                     std::unique_ptr<ImageFilter> filter,
                                                     const ImageRingOptions& options) {
  std::unique_ptr<ImageRing> ring(new ImageRing(std::move(filter), options));
  while (true) {
    const Status allocated = ring->allocate(device);
    if (allocated.ok()) return ring;
    if (allocated.code() != StatusCode::kResourceExhausted || ring->batch() == 1) return allocated;
    ring->set_batch(ring->batch() / 2);
  }
}

ImageRing::~ImageRing() = default;

Status ImageRing::allocate(device::Device& device) {
  for (auto* buffer : {&upload_, &source_, &target_, &reports_, &download_, &reports_down_, &scratch_})
    buffer->reset();
  const size_t slots = size_t(slots_);
  ASSIGN_OR_RETURN(upload_, device.allocate(MemoryKind::kUpload, slots * filter_->source_bytes()));
  ASSIGN_OR_RETURN(source_, device.allocate(MemoryKind::kDevice, slots * filter_->source_bytes()));
  ASSIGN_OR_RETURN(target_, device.allocate(MemoryKind::kDevice, slots * filter_->target_bytes()));
  ASSIGN_OR_RETURN(download_, device.allocate(MemoryKind::kDownload, slots * filter_->target_bytes()));
  if (filter_->report_bytes() > 0) {
    ASSIGN_OR_RETURN(reports_, device.allocate(MemoryKind::kDevice, slots * filter_->report_bytes()));
    ASSIGN_OR_RETURN(reports_down_, device.allocate(MemoryKind::kDownload, slots * filter_->report_bytes()));
  }
  if (const size_t bytes = filter_->scratch_bytes(options_.batch); bytes > 0) {
    ASSIGN_OR_RETURN(scratch_, device.allocate(MemoryKind::kDevice, bytes));
  }
  ASSIGN_OR_RETURN(up_, device.make_stream());
  ASSIGN_OR_RETURN(compute_, device.make_stream());
  ASSIGN_OR_RETURN(down_, device.make_stream());
  uploaded_.resize(slots);
  return ok_status();
}

bool ImageRing::has_room() const {
  const std::lock_guard lock(mutex_);
  return !finished_ && pushed_ - popped_ < slots_;
}

// A slot is given out again when its image was popped: then nothing on the device uses it any more.
Status ImageRing::push(std::span<const std::byte> image) {
  if (image.size() != filter_->source_bytes())
    return internal_error("An image has {} bytes instead of {}.", image.size(), filter_->source_bytes());
  if (!has_room()) return failed_precondition("The ring has no room for another image; pop first.");
  const size_t offset = slot(pushed_) * image.size();
  std::memcpy(upload_->host() + offset, image.data(), image.size());
  const std::lock_guard lock(mutex_);
  up_->copy(*source_, offset, *upload_, offset, image.size());
  uploaded_[slot(pushed_)] = up_->mark();
  pushed_++;
  return ok_status();
}

void ImageRing::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
}

int ImageRing::unsubmitted() const { return int(pushed_ - submitted_) * portions_ - portion_; }

// A batch lies in one piece: it ends where the ring does, and where an image does that is done in portions.
int ImageRing::ready_locked() const {
  if (portion_ > 0) return portions_ - portion_;
  if (int(in_flight_.size()) >= options_.in_flight) return 0;
  const int64_t to_end = slots_ - int64_t(slot(submitted_));
  return int(std::min({pushed_ - submitted_, to_end, int64_t(options_.batch)})) * portions_;
}

int ImageRing::ready() const {
  const std::lock_guard lock(mutex_);
  return ready_locked();
}

int ImageRing::submit(int max_units, const SubmittedBatch& after) {
  const std::lock_guard lock(mutex_);
  const int units = std::min(ready_locked(), max_units);
  if (units <= 0) return 0;
  const int count = portions_ > 1 ? 1 : units;
  const size_t first = slot(submitted_);
  if (portion_ == 0) {
    InFlight& begun = in_flight_.emplace_back();
    begun.frames = begun.uncounted = count;
  }
  InFlight& batch = in_flight_.back();
  // Uploads are in order, so the newest image's mark stands for all before it.
  compute_->wait_for(*up_, uploaded_[slot(submitted_ + count - 1)]);
  if (after.stream != nullptr && after.stream != compute_.get()) compute_->wait_for(*after.stream, after.end);
  const Mark begin = compute_->mark();
  ImageBatch work;
  work.source = source_.get();
  work.source_offset = first * filter_->source_bytes();
  work.target = target_.get();
  work.target_offset = first * filter_->target_bytes();
  work.reports = reports_.get();
  work.reports_offset = first * filter_->report_bytes();
  work.scratch = scratch_.get();
  work.frames = count;
  filter_->enqueue(*compute_, work, portions_ > 1 ? portions_of(portion_, units, portions_) : Portion());
  last_ = {compute_.get(), begin, compute_->mark()};
  batch.spans.add(last_.begin, last_.end);
  add_up_oldest(*compute_, in_flight_);
  portion_ = (portion_ + units) % portions_;
  batch.is_whole = portion_ == 0;
  if (batch.is_whole) {
    copy_down(batch, first);
    submitted_ += count;
  }
  return units;
}

void ImageRing::copy_down(InFlight& batch, size_t first) {
  const size_t frames = size_t(batch.frames);
  down_->wait_for(*compute_, batch.spans.end());
  const size_t bytes = filter_->target_bytes();
  down_->copy(*download_, first * bytes, *target_, first * bytes, frames * bytes);
  if (const size_t report = filter_->report_bytes(); report > 0)
    down_->copy(*reports_down_, first * report, *reports_, first * report, frames * report);
  batch.down = down_->mark();
}

SubmittedBatch ImageRing::last_batch() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

StatusOr<Duration> ImageRing::wait_for(const SubmittedBatch& batch) {
  RETURN_IF_ERROR(up_->wait(device::Mark()));  // an error of an upload is the root of what follows
  RETURN_IF_ERROR(compute_->wait(batch.end));
  const std::lock_guard lock(mutex_);
  return compute_->elapsed(batch.begin, batch.end);
}

StatusOr<bool> ImageRing::pop(std::span<std::byte> image, std::span<std::byte> report) {
  if (image.size() != filter_->target_bytes() || report.size() != filter_->report_bytes())
    return internal_error("An image's place has {} and {} bytes instead of {} and {}.", image.size(),
                          report.size(), filter_->target_bytes(), filter_->report_bytes());
  std::unique_lock lock(mutex_);
  if (in_flight_.empty() || !in_flight_.front().is_whole) return false;
  InFlight& batch =
      in_flight_.front();  // nobody else takes it away, and a deque's elements stay where they are
  const Mark end = batch.spans.end();
  lock.unlock();
  RETURN_IF_ERROR(up_->wait(device::Mark()));
  RETURN_IF_ERROR(compute_->wait(end));
  RETURN_IF_ERROR(down_->wait(batch.down));
  const size_t place = slot(popped_);
  std::memcpy(image.data(), download_->host() + place * image.size(), image.size());
  if (!report.empty())
    std::memcpy(report.data(), reports_down_->host() + place * report.size(), report.size());
  lock.lock();
  if (const int uncounted = std::exchange(batch.uncounted, 0); uncounted > 0) {
    ASSIGN_OR_RETURN(const Duration time, batch.spans.device_time(*compute_));
    costs_.push_back({uncounted, time});
  }
  popped_++;
  if (--batch.frames == 0) in_flight_.pop_front();
  return true;
}

bool ImageRing::is_complete() const {
  const std::lock_guard lock(mutex_);
  const bool is_of_one_image = portions_ > 1;
  return is_of_one_image || (finished_ && ready_locked() == unsubmitted());
}

bool ImageRing::is_submitted() const {
  const std::lock_guard lock(mutex_);
  return finished_ && submitted_ == pushed_;
}

bool ImageRing::is_empty() const {
  const std::lock_guard lock(mutex_);
  return finished_ && popped_ == pushed_;
}

std::vector<BatchCost> ImageRing::take_costs() {
  const std::lock_guard lock(mutex_);
  return std::exchange(costs_, {});
}

}  // namespace weft::filters
