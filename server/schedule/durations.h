// SPDX-License-Identifier: Apache-2.0
// Converts between durations and numbers.
#pragma once

#include "base/clock.h"

namespace weft::schedule {

inline double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }
inline double seconds_of(TimePoint time) { return seconds_of(time.time_since_epoch()); }
inline Duration part_of(Duration time, double part) { return Duration(int64_t(double(time.count()) * part)); }

}  // namespace weft::schedule
