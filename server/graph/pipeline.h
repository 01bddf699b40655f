// SPDX-License-Identifier: Apache-2.0
// Runs a network on a device in batches: units go up to it, through the nodes and down again, each way on a stream of its own, so that
// the three overlap. What is needed is planned (plan.h) and allocated once.
//
//   ASSIGN_OR_RETURN(auto pipeline, Pipeline::make(device, std::move(network), {.plan = {.batch = 16}}));
//   for each unit of the source:
//     while (!pipeline->has_room()) RETURN_IF_ERROR(move_on());   // submits or pops, see below
//     ASSIGN_OR_RETURN(StagedUnit unit, pipeline->stage());       // pinned memory; copy the planes there
//     pipeline->push(info);                                       // or, of a unit on the device: push(info, DeviceUnit)
//     if (pipeline->ready() >= pipeline->batch()) pipeline->submit(pipeline->batch());
//   pipeline->finish();
//   until pipeline->is_empty(): move_on();
//
//   move_on: if (pipeline->ready() > 0) pipeline->submit(pipeline->ready());
//            else ASSIGN_OR_RETURN(auto unit, pipeline->pop());   // blocks for the oldest batch; deliver the unit
//
// The result does not depend on how units are grouped into batches. One thread pushes (has_room, stage, push, finish), one
// submits, one pops, others wait for batches: none of them holds up another longer than it takes to enqueue a batch. What was popped
// may be released on any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/graph/batches.h"
#include "server/graph/network.h"
#include "server/graph/plan.h"

namespace weft::graph {

struct PipelineOptions {
  PlanOptions plan{};
  device::StreamPriority priority = device::StreamPriority::kNormal;
  size_t most_bytes =
      0;  // of the device's memory: a smaller batch where more would be needed, but not less than 1; 0: any
  std::string state{};                                 // of the units before, as Timeline takes it
  std::shared_ptr<device::LaunchObserver> observer{};  // of the nodes' launches; null: nobody
};

// Where the next unit's samples go: planes of a picture (see VideoFormat), else all of it at data[0].
struct StagedUnit {
  std::byte* data[3] = {nullptr, nullptr, nullptr};
  int stride_bytes[3] = {0, 0, 0};
};

// A unit that lies in the device's memory already, as PortLayout::of() the source's format says. `owner` keeps it there, unchanged.
struct DeviceUnit {
  const device::Buffer* buffer = nullptr;
  size_t offset_bytes = 0;
  std::shared_ptr<const void> owner{};
};

// A unit that came out. The samples live until `owner` is released, which must happen before the device ends.
struct OutputUnit {
  const std::byte* data[3] = {nullptr, nullptr,
                              nullptr};  // as in StagedUnit; null with PlanOptions::device_output
  // With PlanOptions::device_output: the samples, complete, as PortLayout::of() the target's format says. What reads them on the
  // device has ended before `owner` is released.
  DeviceUnit device{};
  int stride_bytes[3] = {0, 0, 0};
  std::vector<std::span<const std::byte>> others;  // of the outputs after the first
  OutputTime time;                                 // in the source's unit divided by Pipeline::time_divisor()
  int64_t source_index = 0;                        // the source's unit it was made of, counted as pushed
  bool ends_source = false;                        // no more units come of that one
  std::shared_ptr<const void> side;                // what travelled with that one (FrameInfo::side)
  std::shared_ptr<const void> owner;
};

class Pipeline final : public Batches {
 public:
  // The network is prepared. The batch is halved as long as the device's memory is short. INVALID_ARGUMENT: what Plan::compile says;
  // RESOURCE_EXHAUSTED: not even a batch of one fits.
  static StatusOr<std::unique_ptr<Pipeline>> make(device::Device& device, Network network,
                                                  const PipelineOptions& options);
  ~Pipeline() override;  // waits for what is on the device

  const PortFormat& source_format() const;
  const PortFormat& target_format() const;  // of the first output
  const Plan& plan() const;
  int batch() const { return plan().batch(); }  // as planned: may be smaller than asked for
  int portions() const { return plan().portions; }
  int max_units() const { return plan().max_units(); }
  int64_t time_divisor() const;
  // What is remembered after this unit of the source (Timeline::state_after), of which everything was popped. Later calls are of no
  // older one. Any thread.
  std::string state_after(int64_t source_index);

  // Batches: units are those of the source, or portions of one.
  bool has_room() const override;
  // Where the next unit goes; blocks while the device still reads what was there. FAILED_PRECONDITION without room.
  StatusOr<StagedUnit> stage();
  void push(const FrameInfo& frame);  // after stage
  // Instead of both, in any mixture: the unit is copied within the device, and its owner released once that is done and a later call
  // has seen it. Blocks while kMostLent units are lent and not yet copied. FAILED_PRECONDITION without room.
  Status push(const FrameInfo& frame, DeviceUnit unit);
  static constexpr int kMostLent = 4;
  void finish() override;

  int ready() const override;
  int submit(int max_units, const SubmittedBatch& after) override;
  int submit(int max_units) { return submit(max_units, {}); }
  SubmittedBatch last_batch() const override;
  StatusOr<Duration> wait_for(const SubmittedBatch& batch) override;
  bool is_complete() const override;
  bool is_submitted() const override;

  // The next unit in order. Blocks until the oldest batch is down; nullopt when none is in flight.
  StatusOr<std::optional<OutputUnit>> pop();
  bool can_pop() const;  // pop would not block
  bool is_empty() const override;
  std::vector<BatchTime> take_costs() override;

 private:
  struct Parts;
  explicit Pipeline(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// For the network of a Preparation: pushes its one unit, and no more come.
inline constexpr PlanOptions kOneUnit{.batch = 1, .in_flight = 1, .held = 0, .units = 1};
Status push_only_unit(Pipeline& pipeline, std::span<const std::byte> bytes);

// At once, for tests and tools; jobs do it when the device's schedule says so. Errors are the device's.
Status run_preparation(device::Device& device, Preparation preparation);
// All that a network has, in order.
Status prepare(device::Device& device, Network& network);

}  // namespace weft::graph
