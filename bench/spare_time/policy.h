// SPDX-License-Identifier: Apache-2.0
// Defines the workload, and policies for a program without a schedule.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/schedule/device_schedule.h"

namespace weft::bench {

// A batch to start: that of a stream, given by its index, or of the background.
struct Start {
  int stream = -1;  // -1 for the background
  int units = 0;
  Duration predicted{0};  // zero if it is not predicted
};
using Starts = std::vector<Start>;

// The streams of frames and the background work of a row.
struct Load {
  struct StreamSpec {
    Duration period{0}, offset{0};  // frame k arrives at offset + k * period
    int units = 1;                  // units per frame
    Duration cost{0};               // duration of a frame that runs alone
    bool poisson = false;           // true for random arrivals at the same rate
  };
  std::vector<StreamSpec> streams;
  bool background = false;
  int max_units = 1;  // units per background batch
  Duration skip{0};   // frames that arrive within this time are not in the quantiles
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual void begin(TimePoint now, Starts& starts) = 0;
  virtual void frame_arrived(int stream, TimePoint now, Starts& starts) = 0;
  virtual void batch_finished(const Start& batch, Duration device_time, TimePoint now, Starts& starts) = 0;
  // Called continuously.
  virtual void poll(TimePoint, Starts&) {}
  // Returns true if streams and background share one queue of the device.
  virtual bool one_queue() const { return false; }
};

// Returns a policy that starts frames at once, without background work and schedule.
std::unique_ptr<Policy> run_alone(const Load& load);
// Returns a policy that starts frames at once and keeps `in_flight` background batches of `units`
// in flight. With `one_queue` all run in the order of arrival.
std::unique_ptr<Policy> run_naive(const Load& load, int units, int in_flight, bool one_queue);
// Returns a policy that runs slices of 5% of the period, one at a time, until share * min(average,
// last) of the spare time is used in each period.
std::unique_ptr<Policy> run_averages(const Load& load, double share);

}  // namespace weft::bench
