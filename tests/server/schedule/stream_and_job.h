// SPDX-License-Identifier: Apache-2.0
// The usual load of these tests: a stream of 60 frames a second and a job.
#pragma once

#include <chrono>

#include "server/schedule/device_schedule.h"

namespace weft::schedule {

inline constexpr SourceId kStream = 1, kJob = 100;
inline constexpr Duration kPeriod = std::chrono::microseconds(16'667);

}  // namespace weft::schedule
