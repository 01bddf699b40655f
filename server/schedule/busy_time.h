// SPDX-License-Identifier: Apache-2.0
// What a device's time goes to while batches still run. Of those in flight two run at a time at most: one of REALTIME, one of
// the background.
#pragma once

#include "base/clock.h"
#include "server/schedule/decision.h"
#include "server/schedule/device_schedule.h"

namespace weft::schedule {

// Adds what was busy until `time` to the period that ends then.
void count_busy(ScheduleState& state, TimePoint time);

// What the device's time went to until `now`: also that of the period that has not ended, and of batches that have not. A batch
// that ends earlier than was seen makes the next answer smaller.
DeviceTotals totals_until(const ScheduleState& state, TimePoint now);

}  // namespace weft::schedule
