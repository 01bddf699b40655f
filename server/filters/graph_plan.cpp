// SPDX-License-Identifier: Apache-2.0
#include "server/filters/graph_plan.h"

#include <algorithm>

#include "server/filters/frame_table.h"
#include "server/filters/graph.h"

namespace weft::filters {
Window planned_window(const Filter& filter, bool exact_durations) {
  const Window window = filter.descriptor().window;
  if (exact_durations && !filter.output_rule().only_flagged) return window;
  return {std::max(window.before, 1), std::max(window.after, 1)};
}

int GraphPlan::total_rate(std::span<const Filter* const> filters) {
  int rate = 1;
  for (const Filter* filter : filters) rate *= filter->descriptor().outputs_per_frame;
  return rate;
}

GraphPlan GraphPlan::of(std::span<const Filter* const> filters, const GraphOptions& options) {
  GraphPlan plan;
  plan.batch = options.batch;
  plan.in_flight = options.in_flight;
  int frames = plan.batch;
  for (const Filter* filter : filters) {
    const FilterDescriptor& descriptor = filter->descriptor();
    const Window window = planned_window(*filter, options.exact_durations);
    StagePlan stage;
    stage.name = descriptor.name;
    stage.window = descriptor.window;
    stage.layout = FrameLayout::of(filter->source_format());
    // A stage after the first holds a frame back until the next one is known, and works it off with a later batch.
    stage.max_frames = plan.stages.empty() ? frames : frames + 1;
    stage.slots =
        window.before + window.after + 1 + (plan.stages.empty() ? 2 * plan.batch : stage.max_frames);
    stage.outputs = descriptor.outputs_per_frame;
    stage.table_offset = plan.table_bytes;
    stage.scratch_bytes = filter->scratch_bytes(stage.max_frames);
    plan.table_bytes +=
        round_up(size_t(stage.max_frames) * sizeof(FrameTableEntry), FrameLayout::kPlaneAlignment);
    frames = stage.max_frames * stage.outputs;
    plan.window.before += window.before;
    plan.window.after += window.after;
    plan.stages.push_back(std::move(stage));
  }
  plan.target_layout = FrameLayout::of(filters.back()->target_format());
  plan.upload_slots = plan.batch + 2;
  plan.region_slots = frames;
  plan.picture_slots = frames * plan.in_flight + options.held;
  return plan;
}

size_t GraphPlan::device_bytes() const {
  size_t bytes = (result_bytes() + table_bytes) * size_t(in_flight);
  for (const StagePlan& stage : stages) bytes += stage.ring_bytes() + stage.scratch_bytes;
  return bytes;
}

size_t GraphPlan::host_bytes() const {
  return upload_bytes() + picture_bytes() + table_bytes * size_t(in_flight);
}

std::string GraphPlan::describe() const {
  const VideoFormat& format = stages.front().layout.format;
  std::string text = fmt::format(
      "{}x{} {} {} bits, batches of {} frames, {} in flight, {:.1f} MB on the device, {:.1f} MB pinned\n",
      format.width, format.height, name_of(format.chroma), format.bit_depth, batch, in_flight,
      double(device_bytes()) / 1e6, double(host_bytes()) / 1e6);
  for (const StagePlan& stage : stages)
    text += fmt::format(
        "  {}: looks {} back and {} ahead, gives up to {} for one, ring of {} frames, scratch {:.1f} MB\n",
        stage.name, stage.window.before, stage.window.after, stage.outputs, stage.slots,
        double(stage.scratch_bytes) / 1e6);
  return text;
}

PicturePool::PicturePool(std::unique_ptr<device::Buffer> buffer, const FrameLayout& layout, int slots)
    : buffer_(std::move(buffer)), layout_(layout) {
  free_.reserve(size_t(slots));
  for (int slot = slots - 1; slot >= 0; slot--) free_.push_back(slot);
}

int PicturePool::free_slots() const {
  const std::lock_guard lock(mutex_);
  return int(free_.size());
}

int PicturePool::take() {
  const std::lock_guard lock(mutex_);
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

void PicturePool::lend(const std::shared_ptr<PicturePool>& pool, int slot, OutputPicture& picture) {
  for (size_t plane = 0; plane < size_t(pool->layout_.format.planes()); plane++) {
    const PlaneLayout& layout = pool->layout_.planes[plane];
    picture.data[plane] = pool->buffer_->host() + pool->offset(slot) + layout.offset_bytes;
    picture.stride_bytes[plane] = layout.stride_bytes;
  }
  picture.owner = std::shared_ptr<const void>(picture.data[0], [pool, slot](const void*) {
    const std::lock_guard lock(pool->mutex_);
    pool->free_.push_back(slot);
  });
}

}  // namespace weft::filters
