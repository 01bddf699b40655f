// SPDX-License-Identifier: Apache-2.0
// Filters joined to a chain, run in batches: frames go up to the device, through the filters and down again, each on a
// stream of its own, so that the three overlap. What is needed is planned from the descriptors and allocated once.
//
//   ASSIGN_OR_RETURN(auto graph, Graph::make(device, std::move(filters), {.batch = 16}));
//   for each source frame:
//     while (!graph->has_room()) RETURN_IF_ERROR(move_on());     // submits or pops, see below
//     ASSIGN_OR_RETURN(StagedPicture picture, graph->stage());   // pinned memory; copy the planes there
//     graph->push(info);
//     if (graph->ready() >= graph->batch()) graph->submit(graph->batch());
//   graph->finish();
//   until graph->is_empty(): move_on();
//
//   move_on: if (graph->ready() > 0) graph->submit(graph->ready());
//            else ASSIGN_OR_RETURN(auto picture, graph->pop());  // blocks for the oldest batch; deliver the picture
//
// The result does not depend on how frames are grouped into batches. One thread pushes (has_room, stage, push, finish), one
// submits, one pops, others wait for batches: none of them holds up another longer than it takes to enqueue a batch. Pictures
// may be released on any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/filters/batches.h"
#include "server/filters/filter.h"
#include "server/filters/output_timing.h"

namespace weft::filters {

struct GraphOptions {
  int batch = 16;  // source frames that a submit takes, at most; halved while the device is short of memory
  int in_flight = 2;  // batches submitted and not yet popped, at most
  int held = 8;       // pictures popped and not yet released that must not hold up the next batch
  device::StreamPriority priority = device::StreamPriority::kNormal;
  // Each frame's duration is the time to the next: a filter that looks at no next frame then waits for none.
  bool exact_durations = false;
  bool whole_frames = false;  // never in portions
  PlannerState state = {};    // of the frames before the first that is not context
};

// Where the next source frame's samples go.
struct StagedPicture {
  std::byte* data[3] = {nullptr, nullptr, nullptr};  // planes; see VideoFormat
  int stride_bytes[3] = {0, 0, 0};
};

// A picture that came out. The samples live until `owner` is released, which must happen before the device ends.
struct OutputPicture {
  const std::byte* data[3] = {nullptr, nullptr, nullptr};
  int stride_bytes[3] = {0, 0, 0};
  OutputTime time;           // in the source's unit divided by Graph::time_divisor()
  int64_t source_index = 0;  // the source frame it was made of, counted as pushed
  bool ends_source = false;  // no more pictures come of that frame
  PlannerState state;        // then a later job resumes after that frame with this
  std::shared_ptr<const void> owner;
};

class Graph final : public Batches {
 public:
  // INVALID_ARGUMENT: no filters, or formats that do not fit; RESOURCE_EXHAUSTED: not even a batch of one fits.
  static StatusOr<std::unique_ptr<Graph>> make(device::Device& device,
                                               std::vector<std::unique_ptr<Filter>> filters,
                                               const GraphOptions& options);
  ~Graph() override;

  const VideoFormat& source_format() const;
  const VideoFormat& target_format() const;
  int batch() const;     // as planned: may be smaller than asked for
  int portions() const;  // units that a source frame is: above 1, batches are of one frame
  int max_units() const { return batch() * portions(); }
  int time_divisor() const;  // of output times: 2 for one filter
  // Source frames before and after those that are wanted, to be pushed as context, so that they come out as if the
  // whole clip had been pushed.
  Window window() const;
  size_t device_bytes() const;
  size_t host_bytes() const;
  std::string describe() const;  // the chain, a line a filter, with what was planned

  // Batches: units are source frames, or portions of one.
  bool has_room() const override;
  // Where the next frame goes; blocks while the device still reads what was there. FAILED_PRECONDITION without room.
  StatusOr<StagedPicture> stage();
  void push(const FrameInfo& frame);  // after stage
  void finish() override;

  int ready() const override;
  int submit(int max_units, const SubmittedBatch& after) override;
  int submit(int max_units) { return submit(max_units, {}); }
  SubmittedBatch last_batch() const override;
  StatusOr<Duration> wait_for(const SubmittedBatch& batch) override;
  bool is_complete() const override;
  bool is_submitted() const override;

  // The next picture in order. Blocks until the oldest batch is down; nullopt when none is in flight.
  StatusOr<std::optional<OutputPicture>> pop();
  bool can_pop() const;  // pop would not block
  bool is_empty() const override;
  std::vector<BatchCost> take_costs() override;

 private:
  struct Parts;
  explicit Graph(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::filters
