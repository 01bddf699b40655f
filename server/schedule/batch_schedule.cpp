// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/batch_schedule.h"

#include <algorithm>

namespace weft::schedule {
namespace {

// Each event changes the state; what follows from the change is decided in one place, below.
struct Apply {
  BatchState& state;

  void operator()(const UnitsReady& event) { state.ready = std::max(state.ready, event.units); }
  void operator()(const InputEnded&) { state.input_ended = true; }
  void operator()(const StopAsked&) { state.stopping = true; }
  void operator()(const BatchFinished& event) {
    if (state.in_flight.empty()) return;
    state.cost.learn(state.in_flight.front().units, event.device_time);
    state.in_flight.pop_front();
  }
};

// When what is in flight will have ended, by prediction; a batch that overran counts as about to end.
Duration time_left(const BatchState& state, TimePoint now) {
  Duration left{0};
  for (const BatchState::InFlight& batch : state.in_flight) left += batch.predicted;
  if (!state.in_flight.empty())
    left -= std::min(state.in_flight.front().predicted, now - state.in_flight.front().start);
  return std::max(left, Duration(0));
}

bool may_start(const BatchState& state, int units, TimePoint now) {
  if (units == 0 || state.stopping || state.ended) return false;
  if (state.in_flight.empty()) return true;
  if (int(state.in_flight.size()) >= state.limits.max_in_flight) return false;
  if (!state.cost.known()) return false;  // the probe is not back
  // Beside a running batch only a full one: a small one would be followed by more small ones.
  const int full = state.cost.largest_within(state.limits.quantum, state.limits.max_units);
  if (units < full && !state.input_ended) return false;
  return time_left(state, now) + state.cost.predict(units) <= state.limits.reaction;
}

}  // namespace

Step advance(BatchState state, const Event& event, TimePoint now) {
  Step step;
  std::visit(Apply{state}, event);
  while (true) {
    const int units =
        std::min(state.ready, state.cost.largest_within(state.limits.quantum, state.limits.max_units));
    if (!may_start(state, units, now)) break;
    const Duration predicted = state.cost.predict(units);
    state.in_flight.push_back({units, predicted, now});
    state.ready -= units;
    step.actions.push_back(StartBatch{units, predicted});
  }
  const bool no_more = state.stopping || (state.input_ended && state.ready == 0);
  if (no_more && state.in_flight.empty() && !state.ended) {
    state.ended = true;
    step.actions.push_back(Drained{});
  }
  step.state = std::move(state);
  return step;
}

}  // namespace weft::schedule
