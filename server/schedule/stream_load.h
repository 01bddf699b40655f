// SPDX-License-Identifier: Apache-2.0
// Computes the device load of streams, and the delay that their deadlines tolerate.
#pragma once

#include "base/clock.h"
#include "server/schedule/device_schedule.h"

namespace weft::schedule {

// A REALTIME stream without a frame for kSilentPeriods periods and at least kLeastSilence is
// silent. It reserves no device time: background work ignores the stream until its next frame. The
// stream stays admitted, and no other stream is admitted in its place.
inline constexpr int kSilentPeriods = 10;
inline constexpr Duration kLeastSilence = std::chrono::seconds(1);
// Returns the time at which the stream becomes silent if no frame arrives.
TimePoint reserves_until(const Source& stream);
// Returns whether device time is reserved for the stream: it is realtime and not silent, or one of
// its frames waits or is in work.
bool reserves(const Source& stream, TimePoint now);

// Returns the share of the device's time used by other programs, 0 to 1.
double external_load(const ScheduleState& state);

// Decides whether a further stream fits next to the open ones.
AdmissionDecision admission_of(const ScheduleState& state, const SourceSpec& spec);
// Returns whether the stream would be admitted if its frames cost almost nothing.
bool could_fit(const ScheduleState& state, const SourceSpec& spec);

// Number of a stream's frames after which its cost counts as measured by real frames, and the time
// for which it does.
inline constexpr int kShownAfter = 8;
inline constexpr Duration kShownFor = std::chrono::minutes(10);
// Moves the cost measured under the key `measured` to `key`. The cost of `key` is replaced if it is
// unknown. It is also replaced by a clearly lower cost if no open source has the key and no frames
// of a REALTIME stream have measured it within kShownFor, since real frames are more reliable than
// synthetic ones. Otherwise, or with an empty `key`, the measured cost is only removed.
void take_measured_cost(ScheduleState& state, const std::string& measured, const std::string& key,
                        TimePoint now);

// Returns whether all frames meet their deadlines if background work occupies the device for
// `taken` from now on. Simulates the waiting frames, and the frames that arrive meanwhile, until
// none waits. Each frame arrives as early and takes as long as possible. A stream without a clock
// may send a frame at once, and then one per period.
bool keeps_deadlines(const ScheduleState& state, Duration taken, TimePoint now);

}  // namespace weft::schedule
