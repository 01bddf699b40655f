// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/device_schedule.h"

#include <algorithm>

#include "server/schedule/background.h"
#include "server/schedule/busy_time.h"
#include "server/schedule/stream_load.h"

namespace weft::schedule {
namespace {

bool is_realtime(const Source& source) { return source.spec.work_class == SourceClass::kRealtime; }

FairShare& share_of(ScheduleState& state, const SourceSpec& spec) {
  return state.shares[{spec.work_class, spec.priority}];
}

// Updates the waiting time and the fair share after a change of a source's ready units or batches.
void settle(ScheduleState& state, Source& source, TimePoint now) {
  const bool waits = source.ready > 0 && source.in_flight == 0 && !source.stopping;
  if (!waits) {
    source.waiting_since.reset();
    source.starves = false;
  }
  if (waits && !source.waiting_since.has_value()) source.waiting_since = now;
  if (is_realtime(source)) return;
  const SourceSpec& spec = source.spec;
  if (source.ready > 0 || source.in_flight > 0) {
    share_of(state, spec).activate(spec.owner, spec.owner_weight, spec.id, spec.weight);
  } else {
    share_of(state, spec).deactivate(spec.owner, spec.id);
  }
}

void choose_period(ScheduleState& state) {
  std::optional<Duration> shortest;
  for (const auto& [id, source] : state.sources)
    if (is_realtime(source)) shortest = std::min(shortest.value_or(source.spec.period), source.spec.period);
  state.period.set_length(shortest.value_or(kIdlePeriod));
  state.period.set_share(shortest.has_value() ? state.limits.spare_share : 1);
}

bool any_frame_in_work(const ScheduleState& state) {
  return std::any_of(state.sources.begin(), state.sources.end(), [](const auto& entry) {
    const Source& source = entry.second;
    return is_realtime(source) && (source.ready > 0 || source.in_flight > 0);
  });
}

// Removes a batch from the work in flight. The next batch of the same device stream runs from now
// on.
RunningBatch take_out(ScheduleState& state, const std::deque<RunningBatch>::iterator& batch, TimePoint now) {
  RunningBatch taken = *batch;
  const bool background = is_background(taken.work_class);
  state.in_flight.erase(batch);
  for (RunningBatch& next : state.in_flight) {
    if (is_background(next.work_class) != background) continue;
    if (next.counted == Duration(0)) next.runs_since = std::max(next.start, now);
    break;
  }
  return taken;
}

// Ends the oldest frames of a stream: one for each period's number of units.
void end_frames(ScheduleState& state, Source& source, int units, bool failed, TimePoint now) {
  const int frames = std::max(1, units / std::max(source.spec.units_per_period, 1));
  const Duration deadline = deadline_of(source.spec);
  for (int i = 0; i < frames && !source.arrivals.empty(); i++) {
    const bool missed = failed || now - source.arrivals.front() > deadline;
    source.arrivals.pop_front();
    source.frames++;
    source.misses += missed ? 1 : 0;
    state.period.add_frame(missed);
  }
}

// Returns whether another program ran during the batch, so that its time does not measure its cost.
bool was_slowed(ScheduleState& state, const RunningBatch& batch, const BatchCost& cost, TimePoint now) {
  const bool alone = !any_frame_in_work(state) && state.gap_start <= batch.runs_since;
  if (!is_background(batch.work_class) || !alone || cost.measured() < kSureAfter) return false;
  return state.lock.observe({batch.runs_since, now, batch.predicted});
}

// Applies an event to the state. `advance` then starts the work that follows.
struct Apply {
  ScheduleState& state;
  std::vector<ScheduleAction>& actions;
  TimePoint now;

  Source* find(SourceId id) const {
    const auto found = state.sources.find(id);
    return found == state.sources.end() ? nullptr : &found->second;
  }

  void operator()(const SourceOpened& event) const {
    if (find(event.spec.id) != nullptr) return;
    const bool realtime = event.spec.work_class == SourceClass::kRealtime;
    if (realtime) {
      const AdmissionDecision admission = admission_of(state, event.spec);
      if (!admission.admitted) {
        actions.push_back(Refused{event.spec.id, admission.refusal});
        return;
      }
    }
    Source source;
    source.spec = event.spec;
    source.max_units = std::max(event.spec.max_units, 1);
    source.heard = now;
    if (realtime) source.clock.emplace(event.spec.period, event.spec.first_frame);
    state.sources.emplace(event.spec.id, std::move(source));
    if (!realtime) return;
    choose_period(state);
    state.gap_start = now;
  }

  void operator()(const UnitsReady& event) const {
    Source* source = find(event.source);
    if (source == nullptr || source->stopping) return;
    source->ready = event.batches > 0 ? std::max(event.units, 0) : 0;
    source->batches = event.batches;
    source->complete = event.complete;
    settle(state, *source, now);
  }

  void operator()(const FrameArrived& event) const {
    Source* source = find(event.source);
    if (source == nullptr || !is_realtime(*source) || source->stopping) return;
    source->heard = now;
    source->clock->arrived(now);
    source->arrivals.push_back(now);
    source->ready = std::max(event.units, 0);
    source->batches = std::numeric_limits<int>::max();
    settle(state, *source, now);
  }

  void operator()(const InputEnded& event) const {
    if (Source* source = find(event.source)) source->input_ended = true;
  }

  void operator()(const StopAsked& event) const {
    Source* source = find(event.source);
    if (source == nullptr) return;
    source->stopping = true;
    source->ready = 0;
    settle(state, *source, now);
  }

  void operator()(const BatchFinished& event) const {
    Source* source = find(event.source);
    const auto batch = std::find_if(state.in_flight.begin(), state.in_flight.end(),
                                    [&](const RunningBatch& b) { return b.source == event.source; });
    if (source == nullptr || batch == state.in_flight.end()) return;
    const RunningBatch ended = take_out(state, batch, now);
    BatchCost& cost = state.costs[source->spec.cost_key];
    if (event.disturbed || !was_slowed(state, ended, cost, now)) cost.learn(ended.units, event.device_time);
    state.decisions.finish(ended.decision, event.device_time);
    state.period.add_busy(ended.work_class, std::max(event.device_time - ended.counted, Duration(0)));
    source->device_time += event.device_time;
    source->in_flight--;
    if (is_realtime(*source)) {
      end_frames(state, *source, ended.units, false, now);
      if (source->frames >= kShownAfter) state.shown[source->spec.cost_key] = now;
    } else {
      share_of(state, source->spec)
          .correct(source->spec.owner, source->spec.id, event.device_time - ended.predicted);
    }
    settle(state, *source, now);
  }

  void operator()(const BatchFailed& event) const { fail(event.source, true); }

  void operator()(const OutOfMemory& event) const {
    const int units = fail(event.source, false);
    Source* source = find(event.source);
    if (units == 0) return;
    source->max_units = std::max(std::min(source->max_units, units) / 2, 1);
    if (source->stopping) return;
    source->ready += units;
    source->batches += source->batches < std::numeric_limits<int>::max() ? 1 : 0;
    settle(state, *source, now);
  }

  void operator()(const CostMeasured& event) const {
    take_measured_cost(state, event.measured, event.key, now);
  }

  void operator()(const SourceChanged& event) const {
    Source* source = find(event.source);
    if (source == nullptr || is_realtime(*source) || !is_background(event.work_class)) return;
    SourceSpec& spec = source->spec;
    share_of(state, spec).deactivate(spec.owner, spec.id);
    spec.work_class = event.work_class;
    spec.priority = event.priority;
    spec.owner_weight = event.owner_weight;
    spec.weight = event.weight;
    settle(state, *source, now);
  }

  void operator()(const Presence& event) const {
    state.lock.report_presence(event);
    state.period.set_external_load(external_load(state));
  }

  void operator()(const ClockTick&) const {}

 private:
  // Removes the newest batch of a source, which did not run, and returns its number of units. If
  // `lost`, its frames count as missed; otherwise they are retried.
  int fail(SourceId id, bool lost) const {
    Source* source = find(id);
    const auto batch = std::find_if(state.in_flight.rbegin(), state.in_flight.rend(),
                                    [&](const RunningBatch& b) { return b.source == id; });
    if (source == nullptr || batch == state.in_flight.rend()) return 0;
    const RunningBatch failed = take_out(state, std::prev(batch.base()), now);
    source->in_flight--;
    if (is_realtime(*source)) {
      if (lost) end_frames(state, *source, failed.units, true, now);
    } else {
      share_of(state, source->spec).correct(source->spec.owner, source->spec.id, -failed.predicted);
    }
    settle(state, *source, now);
    return failed.units;
  }
};

// The state after an event, and the actions so far.
struct Outcome {
  ScheduleState& state;
  std::vector<ScheduleAction> actions;
};

// Reduces the headroom of later batches after the start of a background batch.
void settle_headroom(ScheduleState& state, const Headroom& headroom, const BatchChoice& choice,
                     TimePoint now) {
  if (choice.is_overlong) state.overlong_from = now + pause_after(state, headroom, choice.predicted, now);
  if (headroom.budget.has_value())
    state.period.spend(choice.is_overlong ? choice.predicted : price_of(headroom, choice.predicted));
}

Decision decision_of(const ScheduleState& state, Reason reason, TimePoint now) {
  return {.time = now, .reason = reason, .spare = state.period.last_spare()};
}

void start_batch(Outcome& outcome, const BatchChoice& choice, const Headroom* headroom, TimePoint now) {
  ScheduleState& state = outcome.state;
  Source& source = state.sources.at(choice.source);
  Decision decision = decision_of(state, choice.reason, now);
  decision.source = choice.source;
  decision.work_class = source.spec.work_class;
  if (headroom != nullptr) {
    decision.budget = headroom->budget.value_or(Duration(0));
    decision.gap = headroom->gap.value_or(Duration(0));
  }
  decision.units = choice.units;
  decision.predicted = choice.predicted;
  RunningBatch batch;
  batch.source = choice.source;
  batch.work_class = source.spec.work_class;
  batch.units = choice.units;
  batch.predicted = choice.predicted;
  batch.margin = choice.margin;
  batch.start = batch.runs_since = now;
  if (!source.spec.probes_only) batch.decision = state.decisions.record(decision);
  state.in_flight.push_back(batch);
  source.ready = --source.batches > 0 ? source.ready - choice.units : 0;
  source.in_flight++;
  if (is_background(source.spec.work_class)) {
    share_of(state, source.spec).serve(source.spec.owner, choice.source, choice.predicted);
    state.period.add_granted(choice.predicted);
    if (headroom != nullptr) settle_headroom(state, *headroom, choice, now);
  }
  settle(state, source, now);
  if (!source.spec.probes_only) state.last_hold.reset();
  outcome.actions.push_back(StartBatch{choice.source, choice.units, choice.predicted});
}

// Starts all ready frames, earliest deadline first. Next to other streams, each batch holds the
// units of one period, since a larger batch would delay the frames of the other streams.
void start_frames(Outcome& outcome, TimePoint now) {
  const auto streams = std::ranges::count_if(outcome.state.sources,
                                             [&](const auto& entry) { return reserves(entry.second, now); });
  while (true) {
    const Source* first = nullptr;
    TimePoint deadline{};
    for (const auto& [id, source] : outcome.state.sources) {
      if (!is_realtime(source) || source.ready == 0 || source.stopping) continue;
      const TimePoint arrival = source.arrivals.empty() ? now : source.arrivals.front();
      const TimePoint due = arrival + deadline_of(source.spec);
      if (first != nullptr && due >= deadline) continue;
      first = &source;
      deadline = due;
    }
    if (first == nullptr) return;
    const int most = streams > 1 ? std::max(first->spec.units_per_period, 1) : first->max_units;
    const int units = std::min({first->ready, first->max_units, most});
    start_batch(
        outcome,
        {first->spec.id, units, predicted_cost(outcome.state, first->spec, units), {}, Reason::kFrame},
        nullptr, now);
  }
}

void note_hold(ScheduleState& state, const Headroom& headroom, Reason reason, TimePoint now) {
  if (state.last_hold == reason || reason == Reason::kDeviceFilled) return;
  state.last_hold = reason;
  Decision decision = decision_of(state, reason, now);
  decision.budget = std::max(headroom.budget.value_or(Duration(0)), Duration(0));
  decision.gap = std::max(headroom.gap.value_or(Duration(0)), Duration(0));
  state.decisions.record(decision);
}

void note_starving(ScheduleState& state, SourceId id, TimePoint now) {
  Source& source = state.sources.at(id);
  source.starves = true;
  Decision decision = decision_of(state, Reason::kStarves, now);
  decision.source = id;
  decision.work_class = source.spec.work_class;
  decision.predicted = predicted_cost(state, source.spec, 1);
  state.decisions.record(decision);
}

// Starts the background work that fits and sets the next wake-up.
void start_background(Outcome& outcome, TimePoint now) {
  ScheduleState& state = outcome.state;
  while (true) {
    const Headroom headroom = background_headroom(state, now);
    const ChoiceOrHold found = choose_background(state, headroom, now);
    if (found.starves.has_value()) note_starving(state, *found.starves, now);
    if (found.choice.has_value()) {
      start_batch(outcome, *found.choice, &headroom, now);
      // The source updates its units after this batch, and the next turn depends on them.
      if (state.sources.at(found.choice->source).batches == 0) return;
      continue;
    }
    if (found.hold.has_value()) note_hold(state, headroom, *found.hold, now);
    std::optional<TimePoint> time;
    if (found.probes || (found.hold.has_value() && found.hold != Reason::kFrameInWork))
      time = headroom.changes_at;
    if (time.has_value() && *time > now && (!state.wake.has_value() || state.wake->time != *time)) {
      state.wake = WakeAt{*time, is_precise(state)};
      outcome.actions.push_back(*state.wake);
    }
    return;
  }
}

// Closes the sources that have ended or were stopped.
void close_drained(Outcome& outcome) {
  ScheduleState& state = outcome.state;
  bool streams_ended = false;
  for (auto entry = state.sources.begin(); entry != state.sources.end();) {
    const Source& source = entry->second;
    const bool no_more = source.stopping || (source.input_ended && source.ready == 0);
    if (!no_more || source.in_flight > 0) {
      ++entry;
      continue;
    }
    if (is_realtime(source)) {
      streams_ended = true;
    } else {
      share_of(state, source.spec).deactivate(source.spec.owner, source.spec.id);
    }
    outcome.actions.push_back(Drained{source.spec.id});
    entry = state.sources.erase(entry);
  }
  if (streams_ended) choose_period(state);
}

}  // namespace

bool is_precise(const ScheduleState& state) {
  return state.lock.state() != LockState::kAbsent ||
         std::any_of(state.sources.begin(), state.sources.end(),
                     [](const auto& entry) { return is_realtime(entry.second); });
}

std::vector<ScheduleAction> advance(ScheduleState& state, const ScheduleEvent& event, TimePoint now) {
  state.period.move_to(now, [&](TimePoint end) { count_busy(state, end); });
  if (state.wake.has_value() && state.wake->time <= now) state.wake.reset();
  const bool was_in_work = any_frame_in_work(state);
  Outcome outcome{state, {}};
  std::visit(Apply{state, outcome.actions, now}, event);
  start_frames(outcome, now);
  if (was_in_work && !any_frame_in_work(state)) state.gap_start = now;
  start_background(outcome, now);
  close_drained(outcome);
  return std::move(outcome.actions);
}

}  // namespace weft::schedule
