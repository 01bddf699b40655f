// SPDX-License-Identifier: Apache-2.0
// Schedules batches on one device: a state machine that maps events and times to actions. It uses
// no clock and no device.
//
//   for (const ScheduleAction& action : advance(state, UnitsReady{source, 3}, clock.now()))
//     ...  // start a batch, end a source, wake up later
//
// REALTIME frames start at once. Background work (NORMAL, SPARE) runs only while no frame is ready
// or in work, and only if it ends before the next frame. The largest batch that fits the rest of
// the gap starts. Batches are therefore long at first and shorter towards the end of the gap. A
// second batch is queued after the running one if both fit.
//
// A stream without frames is protected for ten periods, and for at least a second. After that,
// background work ignores the stream until its next frame (stream_load.h).
//
// A stream with a loose clock leaves a gap until its next frame may arrive, and none afterwards.
//
// A stream without a clock leaves no known gap. Its next frame stops background work at once, so
// the frame waits at most for the rest of one batch. Batches are then slices, one at a time. A
// slice takes 3% of a frame's time: a frame waits for half of a slice on average. The 99th
// percentile of the latency, which is several frames long, grows by less. The sum of the slices is
// limited by a budget: each period adds `spare_share` of its spare time, and unspent time is
// retained for some periods. A single unit longer than a slice may run if it is short relative to
// the period; it uses more of the budget (price_of in background.h).
//
// A unit that is too long for every gap and budget is overlong. It may run if no frame misses its
// deadline (stream_load.h). Overlong units run so rarely that at most one frame in 200 waits for
// them, which does not change the 99th percentile of the latency.
//
// With nothing to protect, a batch lasts about a quantum of device time and up to two batches are
// in flight, so that the device does not wait for the host. Together they end within the reaction
// time, which is the delay of a cancellation or a change of priority. The second batch belongs to
// the same source if the next turn is that source's; if no other source waits, the second batch is
// a full one. If the cost is unknown, one unit runs alone.
//
// Other programs are protected too: phase_lock.h gives the advice, based on Presence and the
// duration of each background batch.
//
// The next background source is the one that has waited longest among those that waited beyond the
// aging limit; its unit may exceed the gap if no frame misses its deadline (stream_load.h). If no
// source has waited that long, NORMAL precedes SPARE, then a higher priority precedes a lower one,
// then the fair shares of device time decide (fair_share.h).
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
  Duration quantum = std::chrono::milliseconds(20);  // duration of a batch with nothing to protect
  // Limit for the duration of all work in flight.
  Duration reaction = std::chrono::milliseconds(50);
  int max_in_flight = 2;                      // limit of background batches; at least 1
  Duration aging = std::chrono::seconds(30);  // longest wait of a source for its next batch
  // Minimum distance between a batch's end and the next frame.
  Duration guard = std::chrono::microseconds(50);
  // Duration of a batch while the next frame's time is unknown: a share of the frame's cost,
  // limited by shares of the stream's period.
  double slice_of_frame = 0.03, slice_at_least = 0.005, slice_at_most = 0.015;
  // Longest single unit while the next frame's time is unknown, as a share of the period.
  double unit_at_most = 0.05;
  double spare_share = 0.95;  // share of the spare time that a period adds to the budget
  // Overlong units: the maximum share of frames that wait for such a unit, above 0, and the minimum
  // wait of a source before it runs one.
  double delayed_frames = 0.005;
  Duration overlong_after = std::chrono::milliseconds(250);
  double admission_limit = kAdmissionLimit;
};

// Events. An event of a source that is not open has no effect.

// Opens a source. A REALTIME source that does not fit is answered by Refused and not opened.
struct SourceOpened {
  SourceSpec spec;
};
struct UnitsReady {  // number of all units that can start now; replaces the previous number
  SourceId source = 0;
  int units = 0;
  // Number of batches that may take these units. After the last of them, the source updates the
  // number.
  int batches = std::numeric_limits<int>::max();
  bool complete = false;  // no further units would enlarge a batch, so a small batch may start
};
// A frame of a REALTIME source arrived; `units` as in UnitsReady (0: not ready yet).
struct FrameArrived {
  SourceId source = 0;
  int units = 0;
};
struct InputEnded {  // only the ready units of the source remain
  SourceId source = 0;
};
struct StopAsked {  // no further batch of the source may start
  SourceId source = 0;
};
struct BatchFinished {  // the source's oldest batch in flight has ended
  SourceId source = 0;
  Duration device_time{0};
  // True if the time may include delays outside the device. The batch then gives no information
  // about other programs.
  bool disturbed = false;
};
struct BatchFailed {  // the source's newest batch in flight did not run, or its result is lost
  SourceId source = 0;
};
// The source's newest batch in flight did not run for lack of memory. Its units are ready again,
// and the source's largest batch is halved.
struct OutOfMemory {
  SourceId source = 0;
};
struct CostMeasured {  // a source measured a cost under the key `measured` (take_measured_cost)
  std::string measured, key;
};
struct SourceChanged {  // changes a background source; weights are above 0
  SourceId source = 0;
  SourceClass work_class = SourceClass::kNormal;  // NORMAL or SPARE
  int priority = 0;
  double owner_weight = 1, weight = 1;
};
struct ClockTick {};  // the time of WakeAt, or any other time, is reached
using ScheduleEvent =
    std::variant<SourceOpened, UnitsReady, FrameArrived, InputEnded, StopAsked, BatchFinished, BatchFailed,
                 OutOfMemory, CostMeasured, SourceChanged, Presence, ClockTick>;

// Actions.
struct StartBatch {
  SourceId source = 0;
  int units = 0;
  Duration predicted{0};  // predicted cost; zero: unknown
  bool operator==(const StartBatch&) const = default;
};
// The source is closed: it has ended or was stopped, and no batch is in flight.
struct Drained {
  SourceId source = 0;
  bool operator==(const Drained&) const = default;
};
struct Refused {  // the REALTIME source does not fit and is not opened
  SourceId source = 0;
  AdmissionRefusal refusal;
  bool operator==(const Refused&) const = default;
};
// Requests a ClockTick at this time, when it may have an effect; replaces the previous request.
struct WakeAt {
  TimePoint time{};
  bool precise = false;  // a REALTIME stream or another program is active: microseconds matter
  bool operator==(const WakeAt&) const = default;
};
using ScheduleAction = std::variant<StartBatch, Drained, Refused, WakeAt>;

// A batch in flight.
struct RunningBatch {
  SourceId source = 0;
  SourceClass work_class = SourceClass::kNormal;  // class of the source at the batch's start
  int units = 0;
  Duration predicted{0};
  Duration margin{0};  // safety margin of `predicted`
  TimePoint start{};
  // Start on the device: end of the earlier batches on the same device stream.
  TimePoint runs_since{};
  Duration counted{0};    // device time that ended periods already include
  uint64_t decision = 0;  // serial number of the decision; 0: none
};

// An open source.
struct Source {
  SourceSpec spec;
  int ready = 0;          // units that can start now
  int batches = 0;        // number of batches that may take them
  bool complete = false;  // as in UnitsReady
  int in_flight = 0;      // batches in flight
  int max_units = 1;      // largest batch: the limit of the spec, halved by each OutOfMemory
  bool input_ended = false;
  bool stopping = false;
  // Time since which units are ready and none are in flight.
  std::optional<TimePoint> waiting_since;
  // True after the source was reported as starving (Reason::kStarves).
  bool starves = false;
  std::optional<ArrivalClock> clock;  // REALTIME only
  std::deque<TimePoint> arrivals;     // REALTIME: arrival times of the frames that have not ended
  TimePoint heard{};                  // REALTIME: time of the newest frame, or of the opening
  int64_t frames = 0, misses = 0;     // REALTIME: ended frames
  Duration device_time{0};            // device time used so far
};

struct ScheduleState {
  ScheduleLimits limits;
  CostBook costs;  // costs by cost key; retained when sources close
  // Time of the last measurement by frames of a REALTIME stream, by cost key.
  std::map<std::string, TimePoint, std::less<>> shown;
  std::map<SourceId, Source> sources;
  std::deque<RunningBatch> in_flight;  // in order of their start
  std::map<std::pair<SourceClass, int>, FairShare> shares;
  // Lock onto another program; a caller with other limits replaces it before the first event.
  PhaseLock lock;
  PeriodMeter period;
  DecisionRing decisions;
  TimePoint gap_start{};  // time since which no REALTIME frame is ready or in work
  // Earliest start of the next overlong unit of a source that has not aged.
  TimePoint overlong_from{};
  std::optional<Reason> last_hold;
  std::optional<WakeAt> wake;  // newest request that has not passed
};

// Applies an event and returns the actions in order. `now` must not decrease from call to call. An
// inconsistent event (a finished batch while none is in flight) has no effect.
std::vector<ScheduleAction> advance(ScheduleState& state, const ScheduleEvent& event, TimePoint now);

// Returns the predicted cost of a batch of `units` units, or zero if it is unknown.
Duration predicted_cost(const ScheduleState& state, const SourceSpec& spec, int units);

// A source that has waited at least twice the aging limit, because each of its units would make
// frames late or because frames are always in work.
struct Starving {
  std::string job;     // job of the source's spec
  Duration unit{0};    // device time per unit
  Duration waited{0};  // waiting time so far
};
std::vector<Starving> starving(const ScheduleState& state, TimePoint now);

// Returns whether a REALTIME stream or another program is active, so that microseconds matter.
bool is_precise(const ScheduleState& state);

// Returns the predicted share of the device's time for other programs and admitted streams, 0 to 1.
// Silent streams are not counted (stream_load.h).
double predicted_load(const ScheduleState& state, TimePoint now);

// Reserved capacity of a REALTIME stream.
struct Reservation {
  double load = 0;     // share of the device's time, 0 to 1; 0 if the stream is silent
  Duration silent{0};  // time since the stream's newest frame, or since its opening
};
Reservation reservation_of(const ScheduleState& state, SourceId id, TimePoint now);

}  // namespace weft::schedule
