// SPDX-License-Identifier: Apache-2.0
// What streams take of a device, and what they can bear.
#pragma once

#include "base/clock.h"
#include "server/schedule/device_schedule.h"

namespace weft::schedule {

// The part of the device's time that REALTIME streams take which keep to a clock, by prediction.
double clocked_load(const ScheduleState& state);
// The part of the device's time that other programs take, 0 to 1.
double foreign_load(const ScheduleState& state);

// Whether one more stream fits beside those that are there.
AdmissionDecision admission_of(const ScheduleState& state, const SourceSpec& spec);
// Whether it would if its frames took next to nothing.
bool could_fit(const ScheduleState& state, const SourceSpec& spec);

// Takes what was learnt under the key `measured` for that of `key`, where nothing is known of it, or where it is clearly less and no
// source that has the key is open; and forgets `measured`. `key` empty: forgets it only.
void take_measured_cost(ScheduleState& state, const std::string& measured, const std::string& key);

// True if no frame ends after its deadline when background has the device from now on for so long. Frames that come
// meanwhile wait, and make those after them wait, until none is left waiting: it is played through, each frame as early
// as it may come and as long as it may take. A stream without a clock may send one at once, and then one each period.
bool keeps_deadlines(const ScheduleState& state, Duration taken, TimePoint now);

}  // namespace weft::schedule
