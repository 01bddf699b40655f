// SPDX-License-Identifier: Apache-2.0
// Counts the device time that batches have used, running batches included. At most two batches run
// at the same time, one REALTIME and one background.
#pragma once

#include "base/clock.h"
#include "server/schedule/decision.h"
#include "server/schedule/device_schedule.h"

namespace weft::schedule {

// Adds the device time of the running batches until `time` to the current period.
void count_busy(ScheduleState& state, TimePoint time);

// Returns the device totals until `now`, including the current period and running batches. The next
// result may be smaller if a batch turns out to have ended earlier.
DeviceTotals totals_until(const ScheduleState& state, TimePoint now);

}  // namespace weft::schedule
