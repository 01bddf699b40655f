// SPDX-License-Identifier: Apache-2.0
#include "server/worker/image/image_stage.h"

#include <span>
#include <utility>

namespace weft::worker {
namespace {

// What a stage's images and its filter's scratch may take of the device, where a smaller batch is possible.
constexpr size_t kStageBytes = size_t{2} << 30;
constexpr int kMostImages = 8;  // in a batch

size_t bytes_of(const media::Image& image) {
  return image.sample_count() * (image.facts.samples == media::SampleType::kHalf ? 2 : 4);
}

}  // namespace

StatusOr<std::unique_ptr<ImageStage>> ImageStage::open(device::Device& device, DeviceLoop& loop,
                                                       std::unique_ptr<filters::ImageFilter> filter,
                                                       const media::ImageFacts& first, const Start& start,
                                                       JobMeter& meter) {
  const auto turn = loop.opening_turn();
  filters::ImageRingOptions options;
  options.batch = kMostImages;
  options.in_flight = kBatchesKept;
  options.images = start.images;
  options.most_bytes = kStageBytes;
  const size_t report_bytes = filter->report_bytes();
  ASSIGN_OR_RETURN(auto ring, filters::ImageRing::make(device, std::move(filter), options));
  std::unique_ptr<ImageStage> stage(new ImageStage(std::move(ring), loop, first, start, report_bytes, meter));
  schedule::SourceSpec source = start.source;
  source.max_units = stage->ring_->max_units();
  source.units_per_frame = stage->ring_->portions();
  RETURN_IF_ERROR(stage->stage_.open(std::move(source)));
  return stage;
}

ImageStage::ImageStage(std::unique_ptr<filters::ImageRing> ring, DeviceLoop& loop,
                       const media::ImageFacts& first, const Start& start, size_t report_bytes,
                       JobMeter& meter)
    : ring_(std::move(ring)),
      loop_(loop),
      width_(first.data.width),
      height_(first.data.height),
      samples_(first.samples),
      result_(start.result),
      report_bytes_(report_bytes),
      meter_(meter),
      stage_(*ring_, loop, meter) {}

ImageStage::~ImageStage() {
  stage_.close();
  const auto turn = loop_.opening_turn();
  ring_.reset();
}

bool ImageStage::fits(const media::Image& image) const {
  return image.facts.data.width == width_ && image.facts.data.height == height_ &&
         image.facts.samples == samples_;
}

StatusOr<std::optional<ImageUnit>> ImageStage::run(ImageUnit first, BoundedQueue<ImageUnit>& images,
                                                   BoundedQueue<ImageUnit>& done) {
  RETURN_IF_ERROR(stage_.run([&] { return feed(std::move(first), images); }, [&] { return deliver(done); }));
  return std::exchange(other_, std::nullopt);
}

Status ImageStage::feed(ImageUnit first, BoundedQueue<ImageUnit>& images) {
  std::optional<ImageUnit> next(std::move(first));
  while (stage_.wait_for_room()) {
    if (next.has_value()) {
      RETURN_IF_ERROR(push(*std::move(next)));
      stage_.tell_ready();
    } else {
      stage_.finish();
      break;
    }
    next = images.pop();
    if (next.has_value() && !fits(next->image)) other_ = std::exchange(next, std::nullopt);
  }
  return ok_status();
}

Status ImageStage::push(ImageUnit unit) {
  std::span<const std::byte> samples;
  {
    // Before it can be popped; a deque's elements stay where they are.
    const std::lock_guard lock(mutex_);
    const media::Image& image = waiting_.emplace_back(std::move(unit)).image;
    samples = {image.samples.get(), bytes_of(image)};
  }
  {
    const BusyTime busy(meter_.copy);
    RETURN_IF_ERROR(ring_->push(samples));
  }
  meter_.copy.units++;
  meter_.beat();
  return ok_status();
}

Status ImageStage::deliver(BoundedQueue<ImageUnit>& done) {
  while (!stage_.stopped()) {
    const int64_t seen = stage_.batches_started();
    RETURN_IF_ERROR(stage_.error());
    ASSIGN_OR_RETURN(std::optional<ImageUnit> unit, pop());
    stage_.count_costs();
    if (unit.has_value()) {
      stage_.tell_ready();  // there is room for another
      if (!done.push(*std::move(unit))) stage_.stop();
    } else if (!stage_.wait_for_batch(seen)) {
      return ok_status();
    }
  }
  return ok_status();
}

StatusOr<std::optional<ImageUnit>> ImageStage::pop() {
  std::optional<ImageUnit> unit;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return unit;
    // Taken out below, once there is a result for it: nobody else takes from this end.
    unit.emplace();
    unit->index = waiting_.front().index;
    unit->image.facts = waiting_.front().image.facts;
  }
  unit->image.facts.samples = result_;
  ASSIGN_OR_RETURN(media::Image result, media::make_image(unit->image.facts));
  unit->report.resize(report_bytes_);
  ASSIGN_OR_RETURN(const bool popped,
                   ring_->pop(std::span(result.samples.get(), bytes_of(result)), unit->report));
  if (!popped) return std::optional<ImageUnit>();
  const std::lock_guard lock(mutex_);
  result.origin = std::move(waiting_.front().image.origin);
  waiting_.pop_front();
  unit->image = std::move(result);
  return unit;
}

}  // namespace weft::worker
