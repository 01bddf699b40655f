// SPDX-License-Identifier: Apache-2.0
// Defines the clock interface. Code that waits or measures time takes a Clock as a parameter, so
// that a simulation can run on a virtual clock.
#pragma once

#include <atomic>
#include <chrono>

namespace weft {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;  // monotonic
// Wall-clock time, for display and in files only.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  virtual WallTime wall_now() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall_now() const override { return std::chrono::system_clock::now(); }
};

// Advances only by calls of advance(). The wall time starts at `start` and advances by the same
// durations.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(WallTime start = WallTime{}) : start_(start) {}
  TimePoint now() const override { return TimePoint(Duration(elapsed_.load())); }
  WallTime wall_now() const override { return start_ + Duration(elapsed_.load()); }
  void advance(Duration by) { elapsed_ += by.count(); }

 private:
  WallTime start_;
  std::atomic<Duration::rep> elapsed_{0};
};

}  // namespace weft
