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

int Graph::submit(int max_units, const SubmittedBatch& after) {
  Parts& p = *parts_;
  const std::lock_guard lock(p.mutex);
  const int units = std::min(p.ready(), max_units);
  if (units <= 0) return 0;
  const bool is_begin = p.begun.portion == 0;
  if (is_begin) p.wait_for_room();
  if (after.stream != nullptr && after.stream != p.compute.get())
    p.compute->wait_for(*after.stream, after.end);
  const Mark begin = p.compute->mark();
  if (is_begin) p.begin_batch(p.portions > 1 ? 1 : units);
  Begun& begun = p.begun;
  if (begun.work.count > 0)
    p.stages.front().filter->enqueue_portion(*p.compute, begun.work,
                                             portions_of(begun.portion, units, p.portions));
  p.last = {p.compute.get(), begin, p.compute->mark()};
  InFlight& batch = p.in_flight.back();
  batch.spans.add(p.last.begin, p.last.end);
  add_up_oldest(*p.compute, p.in_flight);
  begun.portion = (begun.portion + units) % p.portions;
  batch.is_whole = begun.portion == 0;
  if (!batch.is_whole) return units;
  for (int64_t i = begun.oldest; i <= begun.newest; i++)
    p.last_read[size_t(i % p.stages.front().ring.slots)] = p.last.end;
  p.copy_down(batch, begun.region, int(batch.outputs.size()));
  return units;
}

void Graph::Parts::wait_for_room() {
  // Uploads are in order, so the newest frame's mark stands for all before it.
  compute->wait_for(*up, uploaded[size_t((stages.front().pushed - 1) % upload_ring.slots)]);
  compute->wait_for(*down, region_down[size_t(submits % options.in_flight)]);
}

// Of frames that are done in portions only what comes before the first.
void Graph::Parts::begin_batch(int count) {
  Stage& first = stages.front();
  begun = {};
  begun.region = int(submits++ % options.in_flight);
  begun.oldest = oldest_needed();
  begun.newest = first.planned[size_t(count) - 1].next;
  InFlight& batch = in_flight.emplace_back();
  batch.frames = count;
  const bool is_last = finished && count == int(first.planned.size());
  for (size_t i = 0; i < stages.size(); i++) {
    Stage& stage = stages[i];
    if (i > 0 && is_last) stage.finish();
    const size_t take = i == 0 ? size_t(count) : stage.planned.size();
    const std::vector<PlannedFrame> frames(stage.planned.begin(), stage.planned.begin() + int64_t(take));
    stage.planned.erase(stage.planned.begin(), stage.planned.begin() + int64_t(take));
    enqueue_stage(i, frames, begun.region, batch);
  }
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
  const Batch work{stage.ring, target, tables.get(), offset, count, stage.scratch.get()};
  if (portions > 1)
    begun.work = work;
  else
    stage.filter->enqueue(*compute, work);
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
  down->wait_for(*compute, batch.spans.end());
  for (int i = 0; i < count; i++) {
    Output& output = batch.outputs[size_t(i)];
    output.host_slot = pool->take();
    down->copy(pool->buffer(), pool->offset(output.host_slot), *results,
               result_ring.slot_offset(region * plan.region_slots + i), plan.target_layout.frame_bytes);
  }
  batch.down = region_down[size_t(region)] = down->mark();
}

}  // namespace weft::filters
