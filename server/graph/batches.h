// SPDX-License-Identifier: Apache-2.0
// Declares the interface between a pipeline and the device's schedule: the units that wait in a
// pipeline and the batches made of them. If units are processed in portions (portion.h), a unit of
// this interface is one portion.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/device/device.h"

namespace weft::graph {

// Measured cost of a batch.
struct BatchTime {
  int units = 0;  // number of whole source units: frames or images
  Duration filter{};
  Duration download{};  // duration of the copies to the host
  TimePoint ended{};    // time at which the host detected the end of the filter's work
};

// A batch on the device. Another pipeline may wait for it or start a batch after it.
struct SubmittedBatch {
  const device::Stream* stream = nullptr;  // null: no batch
  device::Mark begin, end;
};

// Batches of one pipeline. Thread-safe. The owner of the pipeline pushes units and pops the
// results.
class Batches {
 public:
  virtual ~Batches() = default;

  virtual bool has_capacity() const = 0;  // another unit can be pushed
  // Declares that no further units follow.
  virtual void finish() = 0;
  // Returns the number of units that `submit` would enqueue now.
  virtual int ready() const = 0;
  // Enqueues at most `max_units` units as one batch that starts after `after`, which may be a batch
  // of another pipeline. Returns the number of units.
  virtual int submit(int max_units, const SubmittedBatch& after) = 0;
  // Returns the newest submitted batch.
  virtual SubmittedBatch last_batch() const = 0;
  // Blocks until `batch` has ended and returns its device time. May be called on any thread. At
  // most 1000 batches may have been submitted after `batch`.
  virtual StatusOr<Duration> wait_for(const SubmittedBatch& batch) = 0;
  virtual bool is_complete() const = 0;   // further units would not enlarge the next batch
  virtual bool is_submitted() const = 0;  // the input has ended, and all units are submitted
  virtual bool is_empty() const = 0;      // the input has ended, and all units are popped
  // Returns the costs of the batches that were popped since the last call.
  virtual std::vector<BatchTime> take_costs() = 0;
};

}  // namespace weft::graph
