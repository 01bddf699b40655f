// SPDX-License-Identifier: Apache-2.0
// Determines a job's bottleneck: the stage that was busy for most of the last seconds.
#pragma once

#include <deque>
#include <mutex>
#include <string_view>

#include "server/worker/device/job_meter.h"

namespace weft::worker {

// Thread-safe.
class LimitMeter {
 public:
  static constexpr Duration kWindow = std::chrono::seconds(5);
  // least fraction of the time for which a bottleneck must be busy
  static constexpr double kLeastShare = 0.5;

  // Records the counters at `now`, which must not decrease, and returns the bottleneck: "decoding",
  // "copying", "device", "encoding" or "disk" (the file calls of decoding or encoding). Returns an
  // empty view if it is unknown, for example while the window is shorter than a second.
  std::string_view update(const JobMeter& meter, TimePoint now);

 private:
  struct Point {
    TimePoint time;
    Duration decoding, copying, device, encoding, disk;
  };
  std::mutex mutex_;
  std::deque<Point> points_;
};

}  // namespace weft::worker
