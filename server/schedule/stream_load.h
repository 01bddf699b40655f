// SPDX-License-Identifier: Apache-2.0
// What streams take of a device, and what they can bear.
#pragma once

#include "base/clock.h"
#include "server/schedule/device_schedule.h"

namespace weft::schedule {

// A REALTIME stream of which no frame came for so many periods, and at least for so long, reserves nothing: background runs as if it were
// not there, until its next frame. What it was admitted with stays promised: no other stream is admitted in its place.
inline constexpr int kSilentPeriods = 10;
inline constexpr Duration kLeastSilence = std::chrono::seconds(1);
// Until when a stream reserves device time if no frame comes.
TimePoint reserves_until(const Source& stream);
// Device time is kept free for the stream's frames, or one is in work.
bool reserves(const Source& stream, TimePoint now);

// The part of the device's time that other programs take, 0 to 1.
double foreign_load(const ScheduleState& state);

// Whether one more stream fits beside those that are there.
AdmissionDecision admission_of(const ScheduleState& state, const SourceSpec& spec);
// Whether it would if its frames took next to nothing.
bool could_fit(const ScheduleState& state, const SourceSpec& spec);

// Takes what was learnt under the key `measured` for that of `key`, where nothing is known of it, or where it is clearly less, no
// source that has the key is open, and frames of a REALTIME stream did not show it within kShownFor: those say more than frames that
// were drawn. Forgets `measured`. `key` empty: forgets it only.
inline constexpr int kShownAfter = 8;  // frames of the stream
inline constexpr Duration kShownFor = std::chrono::minutes(10);
void take_measured_cost(ScheduleState& state, const std::string& measured, const std::string& key,
                        TimePoint now);

// True if no frame ends after its deadline when background has the device from now on for so long. Frames that come
// meanwhile wait, and make those after them wait, until none is left waiting: it is played through, each frame as early
// as it may come and as long as it may take. A stream without a clock may send one at once, and then one each period.
bool keeps_deadlines(const ScheduleState& state, Duration taken, TimePoint now);

}  // namespace weft::schedule
