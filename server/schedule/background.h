// SPDX-License-Identifier: Apache-2.0
// The background's part of a device's schedule: how much room there is for it now, and which batch takes it.
#pragma once

#include <optional>

#include "base/clock.h"
#include "server/schedule/device_schedule.h"

namespace weft::schedule {

// A cost that rests on fewer batches may be the first one's, which loads kernels: a source that waited past the
// aging limit tries again.
inline constexpr int kSureAfter = 3;

// What a background batch that starts now must keep to.
struct Room {
  std::optional<Reason> hold;               // nothing may start at all
  Reason reason = Reason::kQuantum;         // of a start
  Duration longest{0};                      // a batch aims at
  Duration longest_unit = Duration::max();  // one unit that is longer may run alone, if it fits the gap
  std::optional<Duration> gap;              // everything has ended by then, margins included
  TimePoint gap_start{};                    // when it began
  std::optional<Duration> budget;           // that may still be spent
  int max_in_flight = 1;
  bool one_unit = false;                // the least that there is
  bool may_delay = false;               // a unit that frames have to wait for, seldom
  bool watched = false, look = false;   // as in ForeignAdvice
  std::optional<TimePoint> changes_at;  // when it may be more, with no event before

  bool is_protecting() const { return reason != Reason::kQuantum; }
};

// What a batch takes from the budget: a frame that comes meets it with a chance that grows with its length, and then waits
// for half of it, so that one of twice the length that was aimed at does four times the harm.
Duration price_of(const Room& room, Duration predicted);

// How long no other overlong unit starts after one of this length. Frames that arrive during the unit, or while the device catches
// up after it, have to wait; the pause keeps them to the share ScheduleLimits::delayed_frames. Where gaps are known, each unit
// counts as one such frame at least.
Duration pause_after(const ScheduleState& state, const Room& room, Duration unit, TimePoint now);

Room background_room(const ScheduleState& state, TimePoint now);

// A batch that may start now.
struct BatchChoice {
  SourceId source = 0;
  int units = 0;
  Duration predicted{0};
  Duration margin{0};
  Reason reason = Reason::kQuantum;
  bool is_overlong = false;  // a unit for which there is no room
};
struct ChoiceOrHold {
  std::optional<BatchChoice> choice;
  std::optional<Reason> hold;       // why not, when something waits
  std::optional<SourceId> starves;  // has waited for twice the aging limit, and no unit of it fits
  bool looks = false;  // nothing waits, but another program is to be looked at, now or when the room changes
};
ChoiceOrHold choose_background(const ScheduleState& state, const Room& room, TimePoint now);

}  // namespace weft::schedule
