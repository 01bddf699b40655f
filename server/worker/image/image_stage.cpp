// SPDX-License-Identifier: Apache-2.0
#include "server/worker/image/image_stage.h"

#include <cstring>
#include <span>
#include <utility>

namespace weft::worker {
namespace {

constexpr int kMostImages = 8;  // limit for a batch

size_t bytes_of(const media::Image& image) {
  return image.sample_count() * (image.info.samples == media::SampleType::kHalf ? 2 : 4);
}

// Sets the size of the result. Other data of the file still has the old size.
void resize(media::ImageInfo& info, int width, int height) {
  info.data.x = info.data.y = 0;
  info.data.width = width;
  info.data.height = height;
  info.display = info.data;
  if (info.format == media::ImageFormat::kOpenExr)
    info.notes.emplace_back(
        "The picture's size changes, so other channels, layers, parts and attributes of the file are left "
        "out.");
}

}  // namespace

graph::PlanOptions plan_options(int64_t images) {
  return {.batch = kMostImages, .in_flight = kBatchesKept, .held = 1, .units = images};
}

StatusOr<std::unique_ptr<ImageStage>> ImageStage::open(device::Device& device, DeviceLoop& loop,
                                                       graph::Network network, const media::ImageInfo& first,
                                                       const Start& start, JobMeter& meter) {
  const auto driver_lock = loop.driver_lock();
  graph::PipelineOptions options;
  options.plan = plan_options(start.images).halved(start.batch_halvings);
  options.most_bytes = kStageBytes;
  ASSIGN_OR_RETURN(auto pipeline, graph::Pipeline::make(device, std::move(network), options));
  std::unique_ptr<ImageStage> stage(new ImageStage(std::move(pipeline), loop, first, start, meter));
  schedule::SourceSpec source = start.source;
  source.max_units = stage->pipeline_->max_units();
  source.portions = stage->pipeline_->portions();
  RETURN_IF_ERROR(stage->stage_.open(std::move(source)));
  return stage;
}

ImageStage::ImageStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop,
                       const media::ImageInfo& first, const Start& start, JobMeter& meter)
    : pipeline_(std::move(pipeline)),
      loop_(loop),
      width_(first.data.width),
      height_(first.data.height),
      samples_(first.samples),
      result_(start.result),
      meter_(meter),
      stage_(*pipeline_, loop, meter) {}

ImageStage::~ImageStage() {
  stage_.close();
  const auto driver_lock = loop_.driver_lock();
  pipeline_.reset();
}

bool ImageStage::fits(const media::Image& image) const {
  return image.info.data.width == width_ && image.info.data.height == height_ &&
         image.info.samples == samples_;
}

StatusOr<std::optional<ImageUnit>> ImageStage::run(ImageUnit first, BoundedQueue<ImageUnit>& images,
                                                   BoundedQueue<ImageUnit>& done) {
  RETURN_IF_ERROR(stage_.run([&] { return feed(std::move(first), images); }, [&] { return deliver(done); }));
  return std::exchange(other_, std::nullopt);
}

Status ImageStage::feed(ImageUnit first, BoundedQueue<ImageUnit>& images) {
  std::optional<ImageUnit> next(std::move(first));
  while (stage_.wait_for_capacity()) {
    if (next.has_value()) {
      RETURN_IF_ERROR(push(*std::move(next)));
      stage_.notify_ready();
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
  ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline_->stage());
  {
    // The unit is stored before it can be popped. Insertions do not move the elements of a deque.
    const std::lock_guard lock(mutex_);
    const BusyTime busy(meter_.copy);
    const media::Image& image = waiting_.emplace_back(std::move(unit)).image;
    std::memcpy(staged.data[0], image.samples.get(), bytes_of(image));
  }
  pipeline_->push({.pts = pushed_++});
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
      stage_.notify_ready();  // there is capacity for another image
      if (!done.push(*std::move(unit))) stage_.stop();
    } else if (!stage_.wait_for_batch(seen)) {
      return ok_status();
    }
  }
  return ok_status();
}

StatusOr<std::optional<ImageUnit>> ImageStage::pop() {
  ASSIGN_OR_RETURN(const std::optional<graph::OutputUnit> done, pop_traced(*pipeline_));
  if (!done.has_value()) return std::optional<ImageUnit>();
  std::optional<ImageUnit> unit;
  {
    const std::lock_guard lock(mutex_);
    unit.emplace(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  media::ImageInfo info = unit->image.info;
  info.samples = result_;
  const graph::PortFormat& format = pipeline_->target_format();
  const bool keeps_size = format.width == width_ && format.height == height_;
  if (!keeps_size) resize(info, format.width, format.height);
  ASSIGN_OR_RETURN(media::Image result, media::make_image(info));
  std::memcpy(result.samples.get(), done->data[0], bytes_of(result));
  if (keeps_size) result.origin = std::move(unit->image.origin);
  for (const std::span<const std::byte> bytes : done->others) {
    filters::bloom::PixelReport report;
    std::memcpy(&report, bytes.data(), sizeof(report));
    unit->report.not_finite += report.not_finite;
    unit->report.negative += report.negative;
  }
  unit->image = std::move(result);
  return unit;
}

}  // namespace weft::worker
