// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/filter_stage.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "server/worker/device/kept_frames.h"

namespace weft::worker {
namespace {

// Limit of the bytes of a batch's source frames. The memory of the pipeline is a few times as
// large.
constexpr size_t kBatchBytes = size_t{128} << 20;
constexpr int kMostFrames = 24;

int frames_in_batch(const VideoFormat& format) {
  return int(std::clamp<size_t>(kBatchBytes / std::max<size_t>(format.packed_bytes(), 1), 1, kMostFrames));
}

void copy_planes(const media::PictureView& from, const graph::StagedUnit& to) {
  for (int plane = 0; plane < from.format.planes(); plane++) {
    const size_t row_bytes = size_t(from.format.plane_width(plane)) * size_t(from.format.sample_bytes());
    for (int row = 0; row < from.format.plane_height(plane); row++)
      std::memcpy(to.data[plane] + ptrdiff_t(row) * to.stride_bytes[plane],
                  from.plane[size_t(plane)] + row * from.stride_bytes[size_t(plane)], row_bytes);
  }
}

}  // namespace

graph::PlanOptions plan_options(const VideoFormat& source, int pictures_held) {
  return {.batch = frames_in_batch(source), .in_flight = kBatchesKept, .held = pictures_held};
}

StatusOr<std::unique_ptr<FilterStage>> FilterStage::open(device::Device& device, DeviceLoop& loop,
                                                         graph::Network network, const Start& start,
                                                         JobMeter& meter) {
  const auto driver_lock = loop.driver_lock();
  graph::PipelineOptions options;
  options.plan =
      plan_options(network.ports()[0].format.video, start.pictures_held).halved(start.batch_halvings);
  options.state = start.state;
  ASSIGN_OR_RETURN(auto pipeline, graph::Pipeline::make(device, std::move(network), options));
  std::unique_ptr<FilterStage> stage(new FilterStage(std::move(pipeline), loop, start, meter));
  schedule::SourceSpec source = start.source;
  source.max_units = stage->pipeline_->max_units();
  source.portions = stage->pipeline_->portions();
  RETURN_IF_ERROR(stage->stage_.open(std::move(source)));
  return stage;
}

FilterStage::FilterStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, const Start& start,
                         JobMeter& meter)
    : pipeline_(std::move(pipeline)),
      loop_(loop),
      format_(pipeline_->target_format().video),
      start_(start),
      meter_(meter),
      stage_(*pipeline_, loop, meter) {}

FilterStage::~FilterStage() {
  stage_.close();
  const auto driver_lock = loop_.driver_lock();
  pipeline_.reset();
}

Status FilterStage::run(BoundedQueue<media::SourceFrame>& frames, BoundedQueue<OutputPicture>& pictures) {
  RETURN_IF_ERROR(stage_.run([&] { return feed(frames); },
                             [&] {
                               const Status delivered = deliver(pictures);
                               // after an early end the remaining frames are not used
                               frames.abandon();
                               return delivered;
                             }));
  if (!stage_.stopped()) pictures.close();
  return ok_status();
}

Status FilterStage::feed(BoundedQueue<media::SourceFrame>& frames) {
  while (stage_.wait_for_capacity()) {
    std::optional<media::SourceFrame> frame = frames.pop();
    if (frame.has_value()) {
      RETURN_IF_ERROR(push(*std::move(frame)));
      stage_.notify_ready();
    } else {
      stage_.finish();
    }
  }
  return ok_status();
}

Status FilterStage::push(media::SourceFrame frame) {
  graph::FrameInfo info;
  info.pts = frame.pts;
  info.duration = frame.duration;
  info.interlaced = frame.interlaced;
  info.top_field_first = frame.top_field_first;
  info.repeats_field = frame.repeats_field;
  info.repeated_frames = frame.repeated_frames;
  info.discontinuity = frame.discontinuity;
  info.quantisers = std::move(frame.quantisers);
  info.context = frame.index < start_.first_wanted;
  if (!frame.captions.empty())
    info.side_data = std::make_shared<const std::string>(std::move(frame.captions));
  RETURN_IF_ERROR(push_samples(frame, info));
  meter_.beat();
  return ok_status();
}

Status FilterStage::push_samples(const media::SourceFrame& frame, const graph::FrameInfo& info) {
  if (const auto kept = std::static_pointer_cast<const KeptFrame>(frame.kept); kept != nullptr) {
    const TraceSpan span(v1::TRACE_CATEGORY_UPLOAD, "copy on the device");
    return pipeline_->push(info, {kept->buffer, kept->offset_bytes, kept});
  }
  ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline_->stage());
  {
    const BusyTime busy(meter_.copy);
    copy_planes(frame.picture, staged);
  }
  meter_.copy.units++;
  pipeline_->push(info);
  return ok_status();
}

Status FilterStage::deliver(BoundedQueue<OutputPicture>& pictures) {
  while (!stage_.stopped()) {
    const int64_t seen = stage_.batches_started();
    RETURN_IF_ERROR(stage_.error());
    ASSIGN_OR_RETURN(const std::optional<graph::OutputUnit> picture, pop_traced(*pipeline_));
    stage_.count_costs();
    stage_.notify_ready();  // the last picture of a batch makes room in the pipeline
    if (picture.has_value()) {
      if (!pictures.push(to_output(*picture))) stage_.stop();
    } else if (!stage_.wait_for_batch(seen)) {
      return ok_status();
    }
  }
  return ok_status();
}

OutputPicture FilterStage::to_output(const graph::OutputUnit& picture) const {
  OutputPicture output;
  if (const graph::PortFormat& target = pipeline_->target_format(); target.kind == graph::PortKind::kBytes)
    output.record = {picture.data[0], target.bytes};
  output.view.format = format_;
  for (size_t plane = 0; plane < size_t(format_.planes()) && output.record.empty(); plane++) {
    output.view.plane[plane] = reinterpret_cast<const uint8_t*>(picture.data[plane]);
    output.view.stride_bytes[plane] = picture.stride_bytes[plane];
  }
  output.source_frame = start_.first_frame + picture.source_index;
  output.pts = picture.time.pts;
  output.duration = picture.time.duration;
  output.captions = std::static_pointer_cast<const std::string>(picture.side_data);
  output.owner = picture.owner;
  return output;
}

}  // namespace weft::worker
