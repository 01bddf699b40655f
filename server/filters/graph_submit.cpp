// SPDX-License-Identifier: Apache-2.0
// A graph's batches: from the frames that are ready to work on the three streams.
#include <algorithm>
#include <mutex>

#include "server/filters/graph_parts.h"

namespace weft::filters {
namespace {

int32_t flags_of(const PlannedFrame& frame) {
  return (frame.bottom_first ? FLAG_BOTTOM_FIRST : 0) | (frame.copies ? FLAG_COPY : 0) |
         (frame.is_spatial[0] ? FLAG_SPATIAL_FIRST : 0) | (frame.is_spatial[1] ? FLAG_SPATIAL_SECOND : 0);
}

}  // namespace

int Graph::submit(int max_frames, const SubmittedBatch& after) {
  Parts& p = *parts_;
  const std::lock_guard lock(p.mutex);
  Stage& first = p.stages.front();
  const int count = std::min(p.ready(), max_frames);
  if (count <= 0) return 0;
  const int region = int(p.submits++ % p.options.in_flight);
  // Uploads are in order, so the newest frame's mark stands for all before it.
  p.compute->wait_for(*p.up, p.uploaded[size_t((first.pushed - 1) % p.upload_ring.slots)]);
  p.compute->wait_for(*p.down, p.region_down[size_t(region)]);
  if (after.stream != nullptr && after.stream != p.compute.get())
    p.compute->wait_for(*after.stream, after.end);
  const int64_t oldest = p.oldest_needed();
  const int64_t newest = first.planned[size_t(count) - 1].next;
  InFlight batch;
  batch.frames = count;
  batch.begin = p.compute->mark();
  const bool is_last = p.finished && count == int(first.planned.size());
  for (size_t i = 0; i < p.stages.size(); i++) {
    Stage& stage = p.stages[i];
    if (i > 0 && is_last) stage.finish();
    const size_t take = i == 0 ? size_t(count) : stage.planned.size();
    const std::vector<PlannedFrame> frames(stage.planned.begin(), stage.planned.begin() + int64_t(take));
    stage.planned.erase(stage.planned.begin(), stage.planned.begin() + int64_t(take));
    p.enqueue_stage(i, frames, region, batch);
  }
  batch.end = p.compute->mark();
  p.last = {p.compute.get(), batch.begin, batch.end};
  for (int64_t i = oldest; i <= newest; i++) p.last_read[size_t(i % first.ring.slots)] = batch.end;
  p.copy_down(batch, region, int(batch.outputs.size()));
  p.in_flight.push_back(std::move(batch));
  return count;
}

// Writes the stage's table, launches it, and hands what comes out to the next stage or to `batch`.
void Graph::Parts::enqueue_stage(size_t index, std::span<const PlannedFrame> frames, int region,
                                 InFlight& batch) {
  Stage& stage = stages[index];
  const bool is_last = index + 1 == stages.size();
  const size_t offset = size_t(region) * plan.table_bytes + stage.table_offset;
  auto* entries = reinterpret_cast<FrameTableEntry*>(tables_host->host() + offset);
  int count = 0;
  for (const PlannedFrame& frame : frames) {
    if (is_last && frame.context) {
      stage.source_indices.pop_front();
      continue;
    }
    FrameTableEntry entry;
    entry.previous = int32_t(frame.previous % stage.ring.slots);
    entry.current = int32_t(frame.index % stage.ring.slots);
    entry.next = int32_t(frame.next % stage.ring.slots);
    entry.flags = flags_of(frame);
    take_outputs(index, frame, entry, region, batch);
    stage.source_indices.pop_front();
    entries[count++] = entry;
  }
  if (count == 0) return;
  compute->copy(*tables, offset, *tables_host, offset, size_t(count) * sizeof(FrameTableEntry));
  const FrameRing& target = is_last ? result_ring : stages[index + 1].ring;
  stage.filter->enqueue(*compute, {stage.ring, target, tables.get(), offset, count, stage.scratch.get()});
}

// Says where the frame's pictures go: to the region that is read down, or to the ring of the next stage.
void Graph::Parts::take_outputs(size_t index, const PlannedFrame& frame, FrameTableEntry& entry, int region,
                                InFlight& batch) {
  const int64_t source_index = stages[index].source_indices.front();
  for (int k = 0; k < frame.outputs; k++) {
    if (index + 1 < stages.size()) {
      Stage& next = stages[index + 1];
      entry.target[k] = int32_t(next.pushed % next.ring.slots);
      FrameInfo info;
      info.pts = frame.output[k].pts;
      info.duration = frame.output[k].duration;
      info.context = frame.context;
      next.push(info, source_index);
      continue;
    }
    entry.target[k] = int32_t(region * plan.region_slots + int(batch.outputs.size()));
    batch.outputs.push_back({0, frame.output[k], source_index, k + 1 == frame.outputs, frame.after});
  }
}

void Graph::Parts::copy_down(InFlight& batch, int region, int count) {
  down->wait_for(*compute, batch.end);
  for (int i = 0; i < count; i++) {
    Output& output = batch.outputs[size_t(i)];
    output.host_slot = pool->take();
    down->copy(pool->buffer(), pool->offset(output.host_slot), *results,
               result_ring.slot_offset(region * plan.region_slots + i), plan.target_layout.frame_bytes);
  }
  batch.down = region_down[size_t(region)] = down->mark();
}

}  // namespace weft::filters
