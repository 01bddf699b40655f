// SPDX-License-Identifier: Apache-2.0
// Declares the internals of a pipeline. Only pipeline*.cpp include this header.
//
// Source unit i is in slot i % slots of the source's ring; the upload stream writes the ring. All
// other memory is read and written by the compute stream only, so that no further synchronization
// is needed. The regions of the outputs are an exception: there are `in_flight` of them, and the
// download stream reads one.
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

// An output unit of a batch that has not been popped.
struct Output {
  int slot = 0;  // slot in the pool
  UnitInfo info;
};

struct InFlight {
  int units = 0;          // number of source units
  bool is_whole = true;   // true when the last portion is enqueued
  Spans spans;            // work on the compute stream
  Mark down_begin, down;  // marks of the download stream
  TimePoint ended{};      // time at which the host detected the end of the compute work
  std::deque<Output> outputs;
};

// A unit in device memory that the upload stream copies.
struct Lent {
  Mark copied;  // mark of the upload stream
  std::shared_ptr<const void> owner;
};

// The units of a port that exist now.
struct PortState {
  struct Kept {
    int64_t unit = 0;
    int64_t arena_offset = 0;
    bool has_slot = true;  // false: the unit is not demanded and not computed
  };
  int64_t produced = 0;       // number of units that are written, or enqueued to be written
  int64_t needed_from = 0;    // index of the first unit that a later batch needs
  std::deque<Kept> kept;      // units that outlive their batch, oldest first
  std::vector<int64_t> free;  // arena offsets of the unused kept slots
  int64_t first_written = 0;  // index of the first unit that this batch writes
  // Arena offsets of the units that this batch writes. A unit that is not computed has the
  // transient offset.
  std::vector<int64_t> offsets;
};

// The progress of a node.
struct NodeState {
  int64_t next = 0;           // index of the next unit of the node's clock
  UnitSet demand;             // units that the outputs depend on
  std::vector<int64_t> work;  // demanded units in the current batch
  int plan_clock = -1;        // clock of the outputs if a rule plans their units; -1: no such rule
  bool ends_here = false;     // no node of the network reads its outputs
  std::vector<const PortLayout*> inputs, outputs;
};

// large class: the steps of one batch all need the state of all ports and nodes
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

  std::vector<Mark> uploaded;  // by upload slot: mark of `up` after the copy from it
  // By slot of the source's ring: mark of `compute` after the last batch that reads it.
  std::vector<Mark> last_read;
  std::vector<Mark> region_down;
  std::deque<Lent> lent;
  std::deque<InFlight> in_flight;
  std::vector<BatchTime> costs;
  int64_t submits = 0;
  int64_t submitted = 0;    // number of source units in submitted batches
  int64_t frontier = 0;     // number of source units that nodes may read
  int region = 0;           // index of the current batch's region
  int region_used = 0;      // number of units placed in the region
  int portion = 0;          // next portion of the current batch; 0: all are enqueued
  int64_t oldest_read = 0;  // index of the oldest source unit that the batch reads
  SubmittedBatch last;
  Status failure;  // error of a batch that exceeded its plan; no further work is enqueued

  Status allocate(device::Device& device);
  Status allocate_pictures(device::Device& device);
  void upload_layouts();
  void prepare_states();

  int64_t pushed() const { return timeline->known(0); }
  int64_t oldest_needed() const { return portion > 0 ? oldest_read : ports[0].needed_from; }
  bool has_capacity() const;
  // Returns the index of the newest unit that the network may read in a batch that ends with
  // `source_unit`, or nullopt if it is not known yet.
  std::optional<int64_t> reach_of(int64_t source_unit) const;
  int ready_units() const;
  int ready() const;
  int unsubmitted() const;

  // Locks the maps that grow, if there are any.
  std::unique_lock<std::mutex> lock_maps() const;
  void update_demand();

  // The following functions plan a batch before any of its work is enqueued.
  void begin_batch(int count);
  void check_planned();
  void check_complete();
  void choose_units(size_t node);
  bool is_possible(size_t node, int64_t unit) const;
  bool is_wanted(size_t node, int64_t unit) const;
  bool is_computed(size_t port, int64_t unit) const;
  // Returns the index of the unit that an input reads for the unit `unit` of a node, or nullopt if
  // it is not known yet.
  std::optional<int64_t> input_unit(size_t node, size_t input, int64_t unit) const;
  std::optional<int64_t> mapped_unit(size_t node, size_t input, int64_t unit) const;
  bool is_past_map(size_t node, size_t input, int64_t unit) const;
  int64_t first_needed(size_t reader, size_t input) const;
  void check_mapped(size_t node, int64_t unit);
  int64_t units_made(size_t node) const;
  void choose_needed(size_t port);
  void choose_offsets(size_t port);
  void write_rows(size_t node);
  void write_inputs(size_t node, int64_t unit, int32_t* row) const;
  void write_targets(size_t node, int64_t unit, int32_t* row);
  std::pair<int64_t, int> children_of(size_t node, int64_t unit) const;
  int32_t slot_in_region(size_t output, int unit) const;
  int32_t slot_of(size_t port, int64_t unit) const;
  void take_outputs(InFlight& batch);
  void end_batch();
  int64_t oldest_planned(int plan_clock) const;

  void upload_unit(const FrameInfo& frame, const Buffer& from, size_t offset);
  std::vector<Lent> take_copied();
  void wait_for_capacity();
  void enqueue(int first_portion, int count);
  void enqueue_node(size_t node, int first, int units, const Portion& part);
  void copy_down(InFlight& batch);
  OutputUnit lend(const Output& output);
  void point_to(OutputUnit& unit, const std::byte* begin) const;
};

}  // namespace weft::graph
