// SPDX-License-Identifier: Apache-2.0
// When the next batch of a job starts on its device, and how many units it takes: a pure state machine.
//
//   Step step = advance(std::move(state), UnitsReady{3}, clock.now());
//   state = std::move(step.state);
//   for (const Action& action : step.actions) ...       // start a batch, end
//
// A batch aims at one quantum of device time. Up to two are in flight, so that the device does not wait for the
// host, and together they are to end within the reaction time: that is how soon a cancel or a change of priority acts.
// A unit that is longer than the quantum runs alone. While nothing is known of the cost, one unit is tried.
#pragma once

#include <chrono>
#include <deque>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "server/schedule/batch_cost.h"

namespace weft::schedule {

struct BatchLimits {
  Duration quantum = std::chrono::milliseconds(20);
  Duration reaction = std::chrono::milliseconds(50);
  int max_units = 1;      // that memory was planned for; at least 1
  int max_in_flight = 2;  // at least 1
};

// Events.
struct UnitsReady {  // so many units can be computed now, in all; fewer than are known of changes nothing
  int units = 0;
};
struct InputEnded {};   // no more units will be ready
struct BatchFinished {  // the oldest batch in flight
  Duration device_time{0};
};
struct StopAsked {};  // start nothing more
using Event = std::variant<UnitsReady, InputEnded, BatchFinished, StopAsked>;

// Actions.
struct StartBatch {
  int units = 0;
  Duration predicted{0};  // zero: nothing is known
  bool operator==(const StartBatch&) const = default;
};
struct Drained {  // nothing is in flight and nothing will be: the input ended, or a stop was asked
  bool operator==(const Drained&) const = default;
};
using Action = std::variant<StartBatch, Drained>;

struct BatchState {
  struct InFlight {
    int units = 0;
    Duration predicted{0};
    TimePoint start;
  };

  BatchLimits limits;
  BatchCost cost;
  int ready = 0;  // units that wait
  std::deque<InFlight> in_flight;
  bool input_ended = false;
  bool stopping = false;
  bool ended = false;  // Drained was given
};

struct Step {
  BatchState state;
  std::vector<Action> actions;
};

// `now` never goes back. Events that make no sense (a batch finished while none is in flight) change nothing.
Step advance(BatchState state, const Event& event, TimePoint now);

}  // namespace weft::schedule
