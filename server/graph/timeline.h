// SPDX-License-Identifier: Apache-2.0
// Computes the times of all units of a network's ports and the relations between the units. All
// clocks advance when a frame is pushed, before any samples exist. Uses no device.
//
// A clock is a sequence of units. Clock 0 belongs to the source; every other clock is derived from
// its parent by a rule. The times of a clock count in the source's time unit divided by
// time_divisor(). A run is a sequence of units without a discontinuity; nodes never read units of
// another run.
//
// A unit has an index, counted from the first pushed unit, and a number, counted from the start of
// the whole input. They differ only if a segment of a clip starts with a state: the number of
// earlier units of each clock, and a value of each rule. The state is a byte string that can be
// stored. If the first pushed frame is context, the state is the one after that frame, since the
// result for that frame depends on an earlier frame that is not available. Otherwise it is the
// state before the first frame.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/graph/frame.h"
#include "server/graph/time_rule.h"

namespace weft::graph {

// A clock of a network.
struct ClockRule {
  int parent = -1;  // index of the parent clock; -1: this is the source's clock
  TimeRulePtr rule{};
  bool lookahead = true;  // the rule waits for the next unit of the parent clock
};

// The clocks of a network and their units. Not thread-safe.
class Timeline {
 public:
  // Creates a timeline that starts with `state`, or at the start of the input if it is empty.
  // Returns INVALID_ARGUMENT if the state does not match the clocks.
  static StatusOr<Timeline> make(std::vector<ClockRule> clocks, std::string_view state);

  // Adds the next unit of the source.
  void push(const FrameInfo& frame);
  void finish();  // ends the input
  bool finished() const { return finished_; }

  // Returns the number of known units of a clock. The number is final once the clock has ended.
  int64_t known(int clock) const { return clocks_[size_t(clock)].end(); }
  bool ended(int clock) const { return clocks_[size_t(clock)].ended; }
  const UnitInfo& unit(int clock, int64_t index) const { return clocks_[size_t(clock)].at(index); }
  // Returns the difference between the number and the index of a clock's units, or nullopt if it is
  // not known yet.
  std::optional<int64_t> number_offset(int clock) const { return clocks_[size_t(clock)].offset; }
  // Return the first index of the run of a known unit, and the end of that run, or nullopt if the
  // end is not known yet.
  int64_t run_begin(int clock, int64_t index) const;
  std::optional<int64_t> run_end(int clock, int64_t index) const;

  // The number of planned parent units of a clock, and the plan of one. Only for rules that are not
  // by unit.
  struct UnitPlan {
    int64_t first_child = 0;
    int children = 0;
    int32_t flags = 0;
  };
  int64_t planned(int clock) const;
  const UnitPlan& plan(int clock, int64_t parent_index) const;

  // Returns the divisor of the clock's time unit. Saturates at the largest integer.
  int64_t time_divisor(int clock) const { return clocks_[size_t(clock)].divisor; }

  // Returns the state after a source unit; -1: before the first one. All units made from the source
  // unit must be known.
  std::string state_after(int64_t source_index) const;
  // Returns the number of units of a clock that a state counts: those made from the source units
  // before the place of the state.
  static int64_t units_in(std::string_view state, int clock);

  // Discard the units, plans and states before a unit. Later calls must not request them.
  void forget(int clock, int64_t units_before);
  void forget_plans(int clock, int64_t parent_units_before);
  void forget_states(int64_t sources_before);

 private:
  struct Checkpoint {
    int64_t source_index = -1;
    int64_t value = 0;  // state of the rule
    int64_t units = 0;  // number of units of the clock since the first push
    bool has_same_state(const Checkpoint& other) const {
      return value == other.value && units == other.units;
    }
  };
  struct Clock {
    ClockRule rule;
    std::vector<int> children;
    int64_t divisor = 1;
    std::deque<UnitInfo> units;
    int64_t begin = 0;  // index of the oldest stored unit
    bool ended = false;
    // Indices of the first units of runs, from the run of the oldest stored unit.
    std::deque<int64_t> runs;

    // Only for clocks with a parent. Units have their index.
    std::unique_ptr<RuleFollower> follower;
    int64_t parent_seen = 0;
    std::deque<UnitPlan> plans;  // empty for a rule by unit
    int64_t plans_begin = 0;

    std::deque<Checkpoint> states;  // states after the source units that change the state
    Checkpoint first;               // state before these source units
    int64_t first_number = 0;       // number of the first unit after the given state
    std::optional<int64_t> offset;  // number minus index of a unit
    bool is_resumed = false;        // the rule still has to receive the given state
    bool first_is_over = false;     // all units made from the first source unit are known

    int64_t end() const { return begin + int64_t(units.size()); }
    const UnitInfo& at(int64_t index) const { return units[size_t(index - begin)]; }
  };

  explicit Timeline(std::vector<ClockRule> clocks);
  void add(int clock, UnitInfo unit);
  void advance(int clock);  // also advances the clocks derived from this one
  void follow(Clock& child, int number, const Clock& parent);
  bool resume(Clock& child, const Clock& parent);
  void choose_offset(Clock& clock) const;
  void note_first(Clock& child, int number, const Clock& parent);
  bool is_before_state(const UnitInfo& unit) const;
  static void remember(Clock& clock, const Checkpoint& checkpoint);

  std::vector<Clock> clocks_;
  bool finished_ = false;
  int64_t run_ = 0;                // run of the newest source unit
  bool is_resumed_ = false;        // true if a state was given
  bool first_is_context_ = false;  // the first source unit is context
};

}  // namespace weft::graph
