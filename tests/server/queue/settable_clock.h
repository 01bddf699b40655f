// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "base/clock.h"

namespace weft::queue {

// A clock with steady time that a test advances, and wall time that a test sets.
class SettableClock final : public Clock {
 public:
  TimePoint now() const override { return steady_.now(); }
  WallTime wall_now() const override { return steady_.wall_now() + offset_; }
  void advance(Duration by) { steady_.advance(by); }
  void set_wall(Duration offset) { offset_ = offset; }

 private:
  VirtualClock steady_{WallTime(std::chrono::hours(24 * 365 * 50))};
  Duration offset_{};
};

}  // namespace weft::queue
