// SPDX-License-Identifier: Apache-2.0
#include "server/worker/filter_stage.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace weft::worker {
namespace {

// A batch's source frames take at most this much; the graph plans a few times as much around it.
constexpr size_t kBatchBytes = size_t{192} << 20;
constexpr int kMostFrames = 32;

int frames_in_batch(const VideoFormat& format) {
  return int(std::clamp<size_t>(kBatchBytes / std::max<size_t>(format.packed_bytes(), 1), 1, kMostFrames));
}

void copy_planes(const media::PictureView& from, const filters::StagedPicture& to) {
  for (int plane = 0; plane < from.format.planes(); plane++) {
    const size_t row_bytes = size_t(from.format.plane_width(plane)) * size_t(from.format.sample_bytes());
    for (int row = 0; row < from.format.plane_height(plane); row++)
      std::memcpy(to.data[plane] + ptrdiff_t(row) * to.stride_bytes[plane],
                  from.plane[size_t(plane)] + row * from.stride_bytes[size_t(plane)], row_bytes);
  }
}

}  // namespace

StatusOr<std::unique_ptr<FilterStage>> FilterStage::open(device::Device& device, const VideoPlan& plan,
                                                         const Start& start, JobMeter& meter) {
  const VideoFormat& format = plan.facts.video.format;
  std::vector<std::unique_ptr<filters::Filter>> chain(1);
  ASSIGN_OR_RETURN(chain[0], filters::make_deinterlacer(device, format, plan.job.deinterlace()));
  filters::GraphOptions options;
  options.batch = frames_in_batch(format);
  options.in_flight = schedule::BatchLimits().max_in_flight;
  options.held = start.pictures_held;
  options.state.started = start.filter_started;
  ASSIGN_OR_RETURN(auto graph, filters::Graph::make(device, std::move(chain), options));
  return std::unique_ptr<FilterStage>(new FilterStage(std::move(graph), plan, start, meter));
}

FilterStage::FilterStage(std::unique_ptr<filters::Graph> graph, const VideoPlan& plan, const Start& start,
                         JobMeter& meter)
    : graph_(std::move(graph)), format_(plan.output.format), start_(start), meter_(meter) {
  schedule_.cost = start.cost;
  schedule_.limits.max_units = graph_->batch();
}

Status FilterStage::run(BoundedQueue<media::SourceFrame>& frames, BoundedQueue<OutputPicture>& pictures) {
  while (true) {
    RETURN_IF_ERROR(feed(frames));
    RETURN_IF_ERROR(advance(schedule::UnitsReady{graph_->ready()}));
    if (input_ended_) RETURN_IF_ERROR(advance(schedule::InputEnded{}));
    if (graph_->is_empty()) break;
    ASSIGN_OR_RETURN(const bool wanted, deliver(pictures));
    if (!wanted) return ok_status();
  }
  pictures.close();
  return ok_status();
}

Status FilterStage::feed(BoundedQueue<media::SourceFrame>& frames) {
  while (!input_ended_ && graph_->has_room()) {
    const bool idle = schedule_.in_flight.empty() && graph_->ready() == 0;
    const std::optional<media::SourceFrame> frame = idle ? frames.pop() : frames.try_pop();
    if (frame.has_value()) {
      RETURN_IF_ERROR(push(*frame));
    } else if (frames.is_drained()) {
      graph_->finish();
      input_ended_ = true;
    } else {
      break;
    }
  }
  return ok_status();
}

Status FilterStage::push(const media::SourceFrame& frame) {
  ASSIGN_OR_RETURN(const filters::StagedPicture staged, graph_->stage());
  {
    const BusyTime busy(meter_.copy);
    copy_planes(frame.picture, staged);
  }
  meter_.copy.units++;
  filters::FrameInfo info;
  info.pts = frame.pts;
  info.duration = frame.duration;
  info.interlaced = frame.interlaced;
  info.top_field_first = frame.top_field_first;
  info.discontinuity = frame.discontinuity;
  info.context = frame.index < start_.first_wanted;
  graph_->push(info);
  meter_.beat();
  return ok_status();
}

Status FilterStage::advance(const schedule::Event& event) {
  schedule::Step step = schedule::advance(std::move(schedule_), event, std::chrono::steady_clock::now());
  schedule_ = std::move(step.state);
  for (const schedule::Action& action : step.actions) {
    const auto* start = std::get_if<schedule::StartBatch>(&action);
    if (start == nullptr) continue;
    if (const int taken = graph_->submit(start->units); taken != start->units)
      return internal_error("The graph takes {} frames of a batch of {}.", taken, start->units);
    submitted_ += start->units;
    batch_ends_.push_back(submitted_);
    meter_.last_batch_units = start->units;
  }
  return ok_status();
}

StatusOr<bool> FilterStage::deliver(BoundedQueue<OutputPicture>& pictures) {
  const size_t batches = batch_ends_.size();
  while (batches > 0 && batch_ends_.size() == batches) {
    ASSIGN_OR_RETURN(const std::optional<filters::OutputPicture> picture, graph_->pop());
    for (const filters::BatchCost& cost : graph_->take_costs()) {
      batch_times_.push_back(cost.filter);
      meter_.filter.units += cost.frames;
    }
    if (!picture.has_value()) {  // the batches in flight were of context alone
      batch_ends_.clear();
      break;
    }
    forget_batches_up_to(*picture);
    if (!pictures.push(to_output(*picture))) return false;
  }
  for (size_t i = batch_ends_.size(); i < batches; i++) RETURN_IF_ERROR(learn());
  return true;
}

// Batches end in order: with the last picture of their last frame, or with a picture of a later one.
void FilterStage::forget_batches_up_to(const filters::OutputPicture& picture) {
  const int64_t done = picture.source_index + (picture.ends_source ? 1 : 0);
  while (!batch_ends_.empty() && batch_ends_.front() <= done) batch_ends_.pop_front();
}

// Tells the schedule of the oldest batch that ended.
Status FilterStage::learn() {
  if (batch_times_.empty()) return internal_error("The graph tells no time of a batch that ended.");
  const Duration time = batch_times_.front();
  batch_times_.pop_front();
  meter_.device_ns += time.count();
  meter_.filter.busy_ns += time.count();
  meter_.beat();
  // First what is ready now: the graph is more willing than when the schedule last asked.
  RETURN_IF_ERROR(advance(schedule::UnitsReady{graph_->ready()}));
  return advance(schedule::BatchFinished{time});
}

OutputPicture FilterStage::to_output(const filters::OutputPicture& picture) const {
  OutputPicture output;
  output.view.format = format_;
  for (size_t plane = 0; plane < size_t(format_.planes()); plane++) {
    output.view.plane[plane] = reinterpret_cast<const uint8_t*>(picture.data[plane]);
    output.view.stride_bytes[plane] = picture.stride_bytes[plane];
  }
  output.source_frame = start_.first_frame + picture.source_index;
  output.pts = picture.time.pts;
  output.duration = picture.time.duration;
  output.filter_started = picture.state.started;
  output.owner = picture.owner;
  return output;
}

}  // namespace weft::worker
