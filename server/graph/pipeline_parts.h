// SPDX-License-Identifier: Apache-2.0
// What a pipeline is made of. Only pipeline*.cpp include this.
//
// The source's unit i lies in slot i % slots of its ring, which the upload stream fills. The compute stream alone reads and writes the
// rest, which keeps the order, but for the regions of the outputs: the download stream reads one of `in_flight` of them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/graph/picture_pool.h"
#include "server/graph/pipeline.h"
#include "server/graph/spans.h"

namespace weft::graph {

using device::Buffer;
using device::Mark;
using device::MemoryKind;
using device::Stream;

// A unit of a batch on its way down.
struct Output {
  int slot = 0;  // of the pool
  UnitInfo info;
};

struct InFlight {
  int units = 0;          // of the source
  bool is_whole = true;   // no portion is missing
  Spans spans;            // of the compute stream
  Mark down_begin, down;  // of the download stream
  TimePoint ended{};      // when the host saw the end of the compute stream's part
  std::deque<Output> outputs;
};

// A unit in the device's memory that is copied from there.
struct Lent {
  Mark copied;  // of the upload stream
  std::shared_ptr<const void> owner;
};

// A port as it runs.
struct PortState {
  struct Kept {
    int64_t unit = 0;
    int64_t place = 0;
    bool has_slot = true;  // else nothing demands the unit, and it was not computed
  };
  int64_t produced = 0;         // units that are written, or will be by what is enqueued
  int64_t needed_from = 0;      // the first unit that a later batch needs
  std::deque<Kept> kept;        // units that outlive the batch that wrote them, the oldest first
  std::vector<int64_t> free;    // places of kept slots that hold none
  int64_t first_written = 0;    // the first unit that this batch writes
  std::vector<int64_t> places;  // of those units; of one that was not computed the transient place
};

// A node as it runs.
struct NodeState {
  int64_t next = 0;           // unit of its clock that it has not worked on
  UnitSet demand;             // units that the outputs depend on
  std::vector<int64_t> work;  // the units of the batch at hand; those that nobody wants are left out
  int plan_clock = -1;        // of its outputs, where a rule plans the units that come of each of its own
  bool ends_here = false;     // nothing inside reads its outputs
  std::vector<const PortLayout*> inputs, outputs;
};

// large class: the steps of one batch, each of which needs the state of all ports and nodes
struct Pipeline::Parts {
  mutable std::mutex mutex;  // held while enqueueing, never while waiting for the device
  PipelineOptions options;
  Network network;
  Plan plan;
  std::unique_ptr<Timeline> timeline;
  std::vector<PortState> ports;
  std::vector<NodeState> nodes;

  std::unique_ptr<Buffer> arena, scratch, upload, tables_host, tables, layouts_host, layouts;
  std::shared_ptr<PicturePool> pool;
  std::unique_ptr<Stream> up, compute, down;

  std::vector<Mark> uploaded;   // by slot of the upload memory, of `up`
  std::vector<Mark> last_read;  // by slot of the source's ring, of `compute`
  std::vector<Mark> region_down;
  std::deque<Lent> lent;
  std::deque<InFlight> in_flight;
  std::vector<BatchTime> costs;
  int64_t submits = 0;
  int64_t submitted = 0;    // units of the source that batches were made of
  int64_t frontier = 0;     // units of the source that nodes may look at
  int region = 0;           // of the batch at hand
  int region_used = 0;      // units of it that have a place
  int portion = 0;          // of it, the next; 0: none is left
  int64_t oldest_read = 0;  // units of the source that it reads, up to the frontier
  SubmittedBatch last;
  Status failure;  // a batch that is larger than planned: nothing more is enqueued

  Status allocate(device::Device& device);
  Status allocate_pictures(device::Device& device);
  void upload_layouts();
  void prepare_states();

  int64_t pushed() const { return timeline->known(0); }
  int64_t oldest_needed() const { return portion > 0 ? oldest_read : ports[0].needed_from; }
  bool has_room() const;
  // The newest unit that the network may look at once a batch ends with this one; nothing: it cannot yet.
  std::optional<int64_t> reach_of(int64_t source_unit) const;
  int ready_units() const;
  int ready() const;
  int unsubmitted() const;

  // What a batch does, worked out before anything of it is enqueued.
  void begin_batch(int count);
  void check_planned();
  void check_complete();
  void choose_units(size_t node);
  bool is_possible(size_t node, int64_t unit) const;
  bool is_wanted(size_t node, int64_t unit) const;
  bool is_computed(size_t port, int64_t unit) const;
  // The index of the unit that an input reads for a unit of the node; nullopt: not known yet.
  std::optional<int64_t> input_unit(size_t node, size_t input, int64_t unit) const;
  std::optional<int64_t> mapped_unit(size_t node, size_t input, int64_t unit) const;
  bool is_past_map(size_t node, size_t input, int64_t unit) const;
  int64_t first_needed(size_t reader, size_t input) const;
  void check_mapped(size_t node, int64_t unit);
  int64_t units_made(size_t node) const;
  void choose_needed(size_t port);
  void choose_places(size_t port);
  void write_rows(size_t node);
  void write_inputs(size_t node, int64_t unit, int32_t* row) const;
  void write_targets(size_t node, int64_t unit, int32_t* row);
  std::pair<int64_t, int> children_of(size_t node, int64_t unit) const;
  int32_t place_in_region(size_t output, int unit) const;
  int32_t place_of(size_t port, int64_t unit) const;
  void take_outputs(InFlight& batch);
  void end_batch();
  int64_t oldest_planned(int plan_clock) const;

  void upload_unit(const FrameInfo& frame, const Buffer& from, size_t offset);
  std::vector<Lent> take_copied();
  void wait_for_room();
  void enqueue(int first_portion, int count);
  void enqueue_node(size_t node, int first, int units, const Portion& part);
  void copy_down(InFlight& batch);
  OutputUnit lend(const Output& output);
  void point_to(OutputUnit& unit, const std::byte* begin) const;
};

}  // namespace weft::graph
