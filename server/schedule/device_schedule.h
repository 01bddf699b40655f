// SPDX-License-Identifier: Apache-2.0
// What a device does next, for everything that runs on it: a state machine over events and times, which knows no clock
// and no device.
//
//   for (const ScheduleAction& action : advance(state, UnitsReady{source, 3}, clock.now()))
//     ...  // start a batch, end a source, wake up later
//
// REALTIME frames start at once. Background (NORMAL, SPARE) runs only while no frame is ready or in work, and only what
// ends before the next one: the largest batch that fits the rest of the gap, long first, shorter towards its end, the
// next one queued behind the running one when both fit.
//
// A stream whose frames stay away is protected for ten periods, and a second at least; then background runs as if it were not there,
// until its next frame (stream_load.h).
//
// A stream that keeps to its clock loosely leaves a gap until its next frame may come, and none from then on.
//
// A stream that keeps to no clock leaves no gap to be known. A frame that comes stops the background at once, so what it can
// lose is the rest of one batch. Then batches are slices, one at a time, short against what a frame takes (3% of it: frames
// lose half of that on average, and the 99th percentile of their latency, which is several frames long, less), and their sum
// keeps to a budget: each period earns `spare_share` of its spare time, and what is not spent is kept for some periods. A
// single unit that is longer than a slice may run where it is short against the period, and takes the more from the budget
// (price_of in background.h).
//
// A unit for which no gap and no budget is ever long enough (an overlong unit) runs too if no frame misses its deadline because of
// it (stream_load.h). Such units run so seldom that at most one frame in 200 waits for them, which leaves the 99th percentile of
// the latency as it is.
//
// With nobody to protect, batches aim at a quantum of device time and up to two are in flight, so that the device does
// not wait for the host; together they end within the reaction time: that is how soon a cancel or a change of
// priority acts. The second is the same source's where its turn comes again; where nobody else waits it is a full one.
// While nothing is known of a cost, one unit is tried, alone.
//
// A program that knows nothing of us is protected too: what may run beside it is phase_lock.h's advice, which is fed with
// Presence and with how long each background batch took.
//
// Which background source is next: one that waited past the aging limit, the longest first, whose unit may be longer than
// the gap where no frame misses its deadline by that (stream_load.h); then NORMAL before SPARE,
// the higher priority, and within those fair shares of device time (fair_share.h).
#pragma once

#include <chrono>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "server/schedule/admission.h"
#include "server/schedule/arrival_clock.h"
#include "server/schedule/batch_cost.h"
#include "server/schedule/decision.h"
#include "server/schedule/fair_share.h"
#include "server/schedule/period_meter.h"
#include "server/schedule/phase_lock.h"
#include "server/schedule/source.h"

namespace weft::schedule {

struct ScheduleLimits {
  Duration quantum = std::chrono::milliseconds(20);   // a batch with nobody to protect
  Duration reaction = std::chrono::milliseconds(50);  // all that is in flight ends within it
  int max_in_flight = 2;                              // background batches; at least 1
  Duration aging = std::chrono::seconds(30);          // the longest that a source waits for its next batch
  Duration guard = std::chrono::microseconds(50);     // between a batch's end and the next frame, at least
  // A batch beside a stream without a clock: a part of what a frame takes, within parts of the period.
  double slice_of_frame = 0.03, slice_at_least = 0.005, slice_at_most = 0.015;
  double unit_at_most = 0.05;  // of the period: a single unit that is longer than such a batch
  double spare_share = 0.95;   // of the spare time: the budget beside such a stream
  // A unit that is longer still: of all frames so many may wait for one, above 0; its source has waited for so long.
  double delayed_frames = 0.005;
  Duration overlong_after = std::chrono::milliseconds(250);
  double admission_limit = kAdmissionLimit;
};

// Events. Those that name a source that is not open change nothing.
struct SourceOpened {  // REALTIME may be answered by Refused, and then is not open
  SourceSpec spec;
};
struct UnitsReady {  // so many units can start now, in all: what was said before is replaced
  SourceId source = 0;
  int units = 0;
  int batches = std::numeric_limits<int>::max();  // that may take them; then it is said anew, at once
  bool complete = false;  // a batch gets no larger by waiting: a small one is as good as a full one
};
struct FrameArrived {  // REALTIME: a frame came in; `units` as in UnitsReady (0: it is not ready yet)
  SourceId source = 0;
  int units = 0;
};
struct InputEnded {  // no units will be ready beside those that are
  SourceId source = 0;
};
struct StopAsked {  // start nothing more of it
  SourceId source = 0;
};
struct BatchFinished {  // the oldest batch in flight of this source
  SourceId source = 0;
  Duration device_time{0};
  // Something else than the device may have kept it: when it ended says nothing of another program.
  bool disturbed = false;
};
struct BatchFailed {  // the newest in flight of this source: it never ran, or its result is lost
  SourceId source = 0;
};
struct
    OutOfMemory {  // it never ran, for want of memory: its units are ready again, in batches of half the size
  SourceId source = 0;
};
struct MemoryChanged {  // what batches may take in all, beside what is planned for
  size_t bytes = 0;
};
struct CostMeasured {  // by a source of its own, whose key is `measured`: see take_measured_cost
  std::string measured, key;
};
struct SourceChanged {  // of a background source; weights above 0
  SourceId source = 0;
  SourceClass work_class = SourceClass::kNormal;  // NORMAL or SPARE
  int priority = 0;
  double owner_weight = 1, weight = 1;
};
struct ClockTick {};  // at WakeAt, or at any other time
using ScheduleEvent =
    std::variant<SourceOpened, UnitsReady, FrameArrived, InputEnded, StopAsked, BatchFinished, BatchFailed,
                 OutOfMemory, MemoryChanged, CostMeasured, SourceChanged, Presence, ClockTick>;

// Actions.
struct StartBatch {
  SourceId source = 0;
  int units = 0;
  Duration predicted{0};  // zero: nothing is known
  bool operator==(const StartBatch&) const = default;
};
struct
    Drained {  // nothing of it is in flight and nothing will be (its input ended, or a stop was asked): it is closed
  SourceId source = 0;
  bool operator==(const Drained&) const = default;
};
struct Refused {  // a REALTIME source that does not fit; it is not open
  SourceId source = 0;
  AdmissionRefusal refusal;
  bool operator==(const Refused&) const = default;
};
struct WakeAt {  // a ClockTick at this time may change something; replaces what was asked for before
  TimePoint time{};
  bool precise = false;  // a REALTIME stream lives, or another program: a few microseconds matter
  bool operator==(const WakeAt&) const = default;
};
using ScheduleAction = std::variant<StartBatch, Drained, Refused, WakeAt>;

// A batch that was started and has not ended.
struct RunningBatch {
  SourceId source = 0;
  SourceClass work_class = SourceClass::kNormal;  // when it started
  int units = 0;
  Duration predicted{0};
  Duration margin{0};  // that it may take longer
  TimePoint start{};
  TimePoint runs_since{};  // when those before it on its stream had ended
  Duration counted{0};     // of its device time, in the measure of periods that ended
  uint64_t decision = 0;   // in the ring
};

// An open source.
struct Source {
  SourceSpec spec;
  int ready = 0;          // units that could start now
  int batches = 0;        // that may take them
  bool complete = false;  // as told
  int in_flight = 0;      // batches
  int max_units = 1;      // spec's, halved by OutOfMemory
  bool input_ended = false;
  bool stopping = false;
  std::optional<TimePoint> waiting_since;  // units are ready, and nothing of it is in flight
  bool starves = false;  // it waited for twice the aging limit, and was said to: its unit makes frames late
  std::optional<ArrivalClock> clock;  // REALTIME
  std::deque<TimePoint> arrivals;     // REALTIME: of frames that have not ended
  TimePoint heard{};                  // REALTIME: when its newest frame came, or it was opened
  int64_t frames = 0, misses = 0;     // REALTIME
  Duration device_time{0};            // used so far
};

struct ScheduleState {
  ScheduleLimits limits;
  CostBook costs;  // by cost key; stays when sources close
  std::map<std::string, TimePoint, std::less<>>
      shown;  // by cost key: when frames of a REALTIME stream showed it last
  std::map<SourceId, Source> sources;
  std::deque<RunningBatch> in_flight;  // in the order they started
  std::map<std::pair<SourceClass, int>, FairShare> shares;
  PhaseLock lock;  // onto another program; made anew with other limits before the first event
  std::optional<size_t> free_bytes;  // nothing: not limited
  PeriodMeter period;
  DecisionRing decisions;
  TimePoint gap_start{};      // since when no REALTIME frame is ready or in work, at the earliest
  TimePoint overlong_from{};  // no unit before for which there is no room, unless its source aged
  std::optional<Reason> last_hold;
  std::optional<WakeAt> wake;  // as last asked for
};

// What follows from an event, in this order. `now` never goes back. Events that make no sense (a batch finished while
// none is in flight) change nothing.
std::vector<ScheduleAction> advance(ScheduleState& state, const ScheduleEvent& event, TimePoint now);

// What a batch of so many units of a key costs, by what is known; zero: nothing is.
Duration predicted_cost(const ScheduleState& state, const SourceSpec& spec, int units);

// A source that waits for twice the aging limit and longer, since a unit of it would make frames late whenever it ran, or frames
// are in work all the time.
struct Starving {
  std::string job;     // of its spec
  Duration unit{0};    // what one takes
  Duration waited{0};  // until now
};
std::vector<Starving> starving(const ScheduleState& state, TimePoint now);

// A REALTIME stream lives, or another program is there: a few microseconds matter.
bool is_precise(const ScheduleState& state);

// The part of the device's time that other programs and admitted streams take, 0 to 1; without streams that are silent
// (stream_load.h).
double predicted_load(const ScheduleState& state, TimePoint now);

// What a REALTIME stream keeps free for its frames.
struct Reservation {
  double load = 0;     // part of the device's time, 0 to 1; 0: nothing, it is silent
  Duration silent{0};  // since its newest frame came, or it was opened
};
Reservation reservation_of(const ScheduleState& state, SourceId id, TimePoint now);

}  // namespace weft::schedule
