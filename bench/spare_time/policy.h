// SPDX-License-Identifier: Apache-2.0
// What there is to run, and who runs when in a program that has no schedule.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/schedule/device_schedule.h"

namespace weft::bench {

// A batch to be started: of a stream by its index, or of the background.
struct Start {
  int stream = -1;  // -1: background
  int units = 0;
  Duration predicted{0};  // zero: not predicted
};
using Starts = std::vector<Start>;

// What there is to run.
struct Load {
  struct StreamSpec {
    Duration period{0}, offset{0};  // frame k comes at offset + k * period
    int units = 1;                  // of a frame
    Duration cost{0};               // of a frame, alone
    bool poisson = false;           // arrivals at random at the same rate
  };
  std::vector<StreamSpec> streams;
  bool background = false;
  int max_units = 1;  // of a background batch
  Duration skip{0};   // frames that come so early are not in the quantiles
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual void begin(TimePoint now, Starts& starts) = 0;
  virtual void frame_arrived(int stream, TimePoint now, Starts& starts) = 0;
  virtual void batch_finished(const Start& batch, Duration device_time, TimePoint now, Starts& starts) = 0;
  // Called all the time.
  virtual void look(TimePoint, Starts&) {}
  virtual bool one_queue() const { return false; }  // streams and background share one queue of the device
};

// Frames at once, no background, no schedule.
std::unique_ptr<Policy> run_alone(const Load& load);
// Frames at once, and as many background batches of this size in flight; `one_queue`: in the order of arrival.
std::unique_ptr<Policy> run_naive(const Load& load, int units, int in_flight, bool one_queue);
// Slices of 5% of the period, one at a time, until share * min(average, last) of the spare time is spent in each period.
std::unique_ptr<Policy> run_averages(const Load& load, double share);

}  // namespace weft::bench
