// SPDX-License-Identifier: Apache-2.0
// Selects the background batch that a device starts next, within the current headroom.
#pragma once

#include <optional>

#include "base/clock.h"
#include "server/schedule/device_schedule.h"

namespace weft::schedule {

// Number of measured batches after which a cost is reliable. An earlier cost may be that of the
// first batch, which loads kernels; a source that waited beyond the aging limit then tries one
// unit.
inline constexpr int kSureAfter = 3;

// Limits for a background batch that starts now.
struct Headroom {
  std::optional<Reason> hold;        // reason that no batch may start; empty: one may
  Reason reason = Reason::kQuantum;  // reason that a started batch records
  Duration longest{0};               // target duration of a batch
  // Longest duration of a single unit that may run alone if it fits the gap.
  Duration longest_unit = Duration::max();
  // Time until all background work must have ended, margins included.
  std::optional<Duration> gap;
  TimePoint gap_start{};           // start of the gap
  std::optional<Duration> budget;  // remaining budget; empty: unlimited
  int max_in_flight = 1;
  bool one_unit = false;                    // permits only the smallest possible batch
  bool may_delay = false;                   // permits a rare unit that makes frames wait
  bool watched = false, probe_now = false;  // as in ExternalLoadAdvice
  std::optional<TimePoint> changes_at;      // time at which the headroom may grow without an event

  bool is_protecting() const { return reason != Reason::kQuantum; }
};

// Returns the budget that a batch of duration `predicted` uses. The probability that a frame
// arrives during a batch grows with the duration of the batch, and such a frame waits for half of
// that duration on average. A batch of twice the target duration therefore uses four times the
// budget.
Duration price_of(const Headroom& headroom, Duration predicted);

// Returns the pause between the start of an overlong unit and the next one. Frames that arrive
// during the unit, or while the device catches up, have to wait. The pause limits the share of such
// frames to ScheduleLimits::delayed_frames. If the gap is known, each unit counts as at least one
// delayed frame.
Duration pause_after(const ScheduleState& state, const Headroom& headroom, Duration unit, TimePoint now);

Headroom background_headroom(const ScheduleState& state, TimePoint now);

// A batch that may start now.
struct BatchChoice {
  SourceId source = 0;
  int units = 0;
  Duration predicted{0};
  Duration margin{0};
  Reason reason = Reason::kQuantum;
  bool is_overlong = false;  // a single unit that is longer than the headroom
};
struct ChoiceOrHold {
  std::optional<BatchChoice> choice;
  std::optional<Reason> hold;  // the reason that nothing starts; empty if no source waits
  // Source that has waited twice the aging limit while none of its units fitted.
  std::optional<SourceId> starves;
  // True if no source waits, but another program has to be probed, now or when the headroom
  // changes.
  bool probes = false;
};
ChoiceOrHold choose_background(const ScheduleState& state, const Headroom& headroom, TimePoint now);

}  // namespace weft::schedule
