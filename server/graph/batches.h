// SPDX-License-Identifier: Apache-2.0
// Units of a source that wait for the device, and the batches that are made of them: what the device's schedule knows of a
// pipeline. Where a unit is done in portions (portion.h), each portion is a unit here.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/device/device.h"

namespace weft::graph {

// What a batch cost, for the scheduler to learn from.
struct BatchTime {
  int units = 0;  // of the source, whole: frames or images
  Duration filter{};
  Duration download{};  // of the copies to the host
  TimePoint ended{};    // when the host saw that the filter had ended
};

// A batch on the device, for whoever waits for it, or lets another batch start behind it.
struct SubmittedBatch {
  const device::Stream* stream = nullptr;  // null: none
  device::Mark begin, end;
};

// Thread-safe. The owner pushes units and pops what comes of them.
class Batches {
 public:
  virtual ~Batches() = default;

  virtual bool has_room() const = 0;  // for another unit
  // No more units come.
  virtual void finish() = 0;
  // Units that submit would take now.
  virtual int ready() const = 0;
  // Enqueues up to so many units as one batch; returns how many. It runs after `after`, which may be a batch of
  // others on the device.
  virtual int submit(int max_units, const SubmittedBatch& after) = 0;
  // The batch that was submitted last.
  virtual SubmittedBatch last_batch() const = 0;
  // Blocks until the batch has ended; its device time. Any thread; before 1000 more were submitted.
  virtual StatusOr<Duration> wait_for(const SubmittedBatch& batch) = 0;
  virtual bool is_complete() const = 0;   // the next batch gets no larger by waiting
  virtual bool is_submitted() const = 0;  // finished, and nothing is left to submit
  virtual bool is_empty() const = 0;      // finished, and everything popped
  // Costs of the batches that were popped since the last call.
  virtual std::vector<BatchTime> take_costs() = 0;
};

}  // namespace weft::graph
