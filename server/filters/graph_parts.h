// SPDX-License-Identifier: Apache-2.0
// What a graph is made of. Only graph*.cpp include this.
//
// Frame i of a stage lies in slot i % slots of its ring. The first stage's ring is filled by the upload stream and has
// room for two batches; later rings are filled and read by the compute stream alone, which keeps the order. The last
// stage writes to one of `in_flight` regions, which the download stream reads.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "server/filters/frame_table.h"
#include "server/filters/graph.h"
#include "server/filters/graph_plan.h"
#include "server/filters/spans.h"

namespace weft::filters {

using device::Buffer;
using device::Mark;
using device::MemoryKind;
using device::Stream;

// A picture of a batch on its way down.
struct Output {
  int host_slot = 0;
  OutputTime time;
  int64_t source_index = 0;
  bool ends_source = false;
  PlannerState state;
};

struct InFlight {
  int frames = 0;
  bool is_whole = true;  // no portion is missing
  Spans spans;           // of the compute stream
  Mark down;             // of the download stream
  std::deque<Output> outputs;
};

// The batch that was submitted last; where frames are done in portions, what is needed for the rest of it.
struct Begun {
  int portion = 0;  // the next; 0: none is left
  Batch work;       // count 0: nothing is left to enqueue
  int region = 0;
  int64_t oldest = 0, newest = 0;  // frames that it reads
};

// One filter with what stands before it.
struct Stage {
  std::unique_ptr<Filter> filter;
  OutputPlanner planner;
  std::unique_ptr<Buffer> frames;
  FrameRing ring;
  std::unique_ptr<Buffer> scratch;
  std::deque<PlannedFrame> planned;    // not yet submitted
  std::deque<int64_t> source_indices;  // of the graph's source, for frames from the oldest planned on
  int64_t pushed = 0;
  size_t table_offset = 0;  // inside a region's table
  int max_frames = 0;       // of a launch

  Stage(std::unique_ptr<Filter> f, PlannerState state, bool exact_durations)
      : filter(std::move(f)),
        planner(filter->output_rule(), state, planned_window(*filter, exact_durations).after > 0) {}

  void push(const FrameInfo& info, int64_t source_index) {
    planner.push(info);
    source_indices.push_back(source_index);
    pushed++;
    drain();
  }
  void finish() {
    planner.finish();
    drain();
  }
  void drain() {
    while (std::optional<PlannedFrame> frame = planner.next()) planned.push_back(*frame);
  }
};

struct Graph::Parts {
  mutable std::mutex mutex;  // held while enqueueing, never while waiting for the device
  GraphOptions options;
  GraphPlan plan;
  std::vector<Stage> stages;
  std::unique_ptr<Buffer> upload, tables_host, tables, results;
  FrameRing upload_ring, result_ring;
  std::shared_ptr<PicturePool> pool;
  std::unique_ptr<Stream> up, compute, down;

  std::vector<Mark> uploaded;   // by slot of the upload ring, of `up`
  std::vector<Mark> last_read;  // by slot of the first stage's ring, of `compute`
  std::vector<Mark> region_down;
  std::deque<InFlight> in_flight;
  std::vector<BatchCost> costs;
  int64_t submits = 0;
  bool finished = false;
  int portions = 1;  // of a source frame
  Begun begun;

  SubmittedBatch last;

  Status allocate(device::Device& device);
  bool has_room() const;
  int ready() const;
  int unsubmitted() const;  // units
  int64_t oldest_needed() const;
  void wait_for_room();
  void begin_batch(int count);
  void copy_down(InFlight& batch, int region, int count);
  void enqueue_stage(size_t index, std::span<const PlannedFrame> frames, int region, InFlight& batch);
  void take_outputs(size_t index, const PlannedFrame& frame, FrameTableEntry& entry, int region,
                    InFlight& batch);
};

}  // namespace weft::filters
