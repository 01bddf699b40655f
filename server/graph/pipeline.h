// SPDX-License-Identifier: Apache-2.0
// Runs a network on a device in batches. Upload, computation and download have a stream each and
// overlap. All memory is planned (plan.h) and allocated once.
//
//   const PipelineOptions options{.plan = {.batch = 16}};
//   ASSIGN_OR_RETURN(auto pipeline, Pipeline::make(device, std::move(network), options));
//   for each unit of the source:
//     while (!pipeline->has_capacity()) RETURN_IF_ERROR(move_on());  // submits or pops, see below
//     ASSIGN_OR_RETURN(StagedUnit unit, pipeline->stage());  // pinned memory for the planes
//     pipeline->push(info);  // for a unit in device memory: push(info, DeviceUnit)
//     if (pipeline->ready() >= pipeline->batch()) pipeline->submit(pipeline->batch());
//   pipeline->finish();
//   until pipeline->is_empty(): move_on();
//
//   move_on: if (pipeline->ready() > 0) pipeline->submit(pipeline->ready());
//            else ASSIGN_OR_RETURN(auto unit, pipeline->pop());  // blocks; deliver the unit
//
// The result does not depend on the grouping of units into batches. One thread may push
// (has_capacity, stage, push, finish), one may submit, one may pop, and others may wait for
// batches, all at the same time. A thread blocks another at most while it enqueues a batch. Popped
// units may be released on any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
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
  // Limit of device memory in bytes. If the plan needs more, the batch is halved, down to 1 unit.
  // 0: no limit.
  size_t most_bytes = 0;
  std::string state{};       // state after the units of earlier segments (Timeline); empty: none
  bool keeps_states = true;  // false: state_after() is not called
  // Locked while the pipeline reads maps that grow; null: none grows. Others that read or append
  // lock it too.
  std::shared_ptr<std::mutex> maps{};
  // Observes the launches of the nodes; null: no observer.
  std::shared_ptr<device::LaunchObserver> observer{};
};

// Pinned memory for the samples of the next unit. A picture has the planes of its VideoFormat; any
// other unit is one block at data[0].
struct StagedUnit {
  std::byte* data[3] = {nullptr, nullptr, nullptr};
  int stride_bytes[3] = {0, 0, 0};
};

// A unit in device memory with the layout PortLayout::of() of the source's format. While `owner` is
// held, the memory stays valid and unchanged.
struct DeviceUnit {
  const device::Buffer* buffer = nullptr;
  size_t offset_bytes = 0;
  std::shared_ptr<const void> owner{};
};

// An output unit. The samples are valid until `owner` is released, which must happen before the
// device is destroyed.
struct OutputUnit {
  // As in StagedUnit; null with PlanOptions::device_output.
  const std::byte* data[3] = {nullptr, nullptr, nullptr};
  // With PlanOptions::device_output: the complete samples, with the layout PortLayout::of() of the
  // target's format. The device must have finished reading them before `owner` is released.
  DeviceUnit device{};
  int stride_bytes[3] = {0, 0, 0};
  std::vector<std::span<const std::byte>> others;  // units of the other outputs
  // In the source's time unit divided by Pipeline::time_divisor().
  OutputTime time;
  // Index of the source unit that this unit was made from, counted from the first pushed one.
  int64_t source_index = 0;
  // True for the last output unit made from this source unit.
  bool ends_source = false;
  std::shared_ptr<const void> side_data;  // side data of the source unit (FrameInfo::side_data)
  std::shared_ptr<const void> owner;
};

class Pipeline final : public Batches {
 public:
  // Creates a pipeline for a network without preparations. Halves the batch while device memory is
  // short. Returns INVALID_ARGUMENT as Plan::compile does, and RESOURCE_EXHAUSTED if not even a
  // batch of one unit fits.
  static StatusOr<std::unique_ptr<Pipeline>> make(device::Device& device, Network network,
                                                  const PipelineOptions& options);
  ~Pipeline() override;  // blocks until the device has ended the enqueued work

  const PortFormat& source_format() const;
  const PortFormat& target_format() const;  // format of the first output
  const Plan& plan() const;
  // Units of a planned batch; may be smaller than requested.
  int batch() const { return plan().batch(); }
  int portions() const { return plan().portions; }
  int max_units() const { return plan().max_units(); }
  int64_t time_divisor() const;
  // Returns the state after a source unit (Timeline::state_after). All outputs made from the unit
  // must have been popped, and successive calls must not go to older units. May be called on any
  // thread.
  std::string state_after(int64_t source_index);

  // The interface Batches. Units are source units, or portions of one source unit.
  bool has_capacity() const override;
  // Returns memory for the next unit. Blocks while the device still reads the memory's previous
  // content. Returns FAILED_PRECONDITION if there is no capacity.
  StatusOr<StagedUnit> stage();
  void push(const FrameInfo& frame);  // adds the staged unit
  // Adds a unit that is already in device memory, without stage(); both kinds of units may be
  // mixed. The unit is copied on the device, and a later call releases its owner after the copy.
  // Blocks while kMostLent units wait for their copy. Returns FAILED_PRECONDITION if there is no
  // capacity.
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

  // Returns the next output unit in order. Blocks until the oldest batch is downloaded. Returns
  // nullopt if no batch is in flight.
  StatusOr<std::optional<OutputUnit>> pop();
  bool can_pop() const;  // true if pop() would not block
  bool is_empty() const override;
  std::vector<BatchTime> take_costs() override;

 private:
  struct Parts;
  explicit Pipeline(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Plan of a Preparation's network, which has a single unit.
inline constexpr PlanOptions kOneUnit{.batch = 1, .in_flight = 1, .held = 0, .units = 1};
Status push_only_unit(Pipeline& pipeline, std::span<const std::byte> bytes);

// Runs a preparation and waits for its end; for tests and tools. Jobs run it under the device's
// schedule instead. Returns the errors of the device.
Status run_preparation(device::Device& device, Preparation preparation);
// Runs all preparations of a network, in order.
Status prepare(device::Device& device, Network& network);

}  // namespace weft::graph
