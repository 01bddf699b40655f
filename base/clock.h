// SPDX-License-Identifier: Apache-2.0
// Time as an argument: what waits or measures takes a Clock, so that simulations run on a virtual one.
#pragma once

#include <atomic>
#include <chrono>

namespace weft {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;  // never jumps
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;   // for people and files only

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

// Moves only when told to. Wall time starts at `start` and moves with it.
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
