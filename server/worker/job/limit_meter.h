// SPDX-License-Identifier: Apache-2.0
// Finds out what a job waits for: the stage that was at work for most of the last seconds holds up the others.
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
  static constexpr double kLeastShare = 0.5;  // of the time: below that nothing is told

  // The meter stands as it is now; `now` never goes back. "decoding", "copying", "device", "encoding", "disk" (the file calls of decoding or
  // encoding); empty: not known, as while the window is shorter than a second.
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
