// SPDX-License-Identifier: Apache-2.0
// When the units of a network's ports are, and which unit comes of which: worked out for all clocks as frames are pushed, ahead
// of any samples. Pure: no device.
//
// A clock is a sequence of units. Clock 0 is the source's; each other one follows from its parent by a rule. Times of a clock
// count in the source's unit divided by time_divisor(). A run is a sequence of units without a discontinuity: nothing of
// another run is ever looked at.
//
// Units are counted as pushed (an index) and from the beginning of the whole input (a number). Both are the same unless a segment of a
// clip begins with a state: the units that each clock has had before, and a value of each rule. The state is bytes, so that it can be
// stored. If the first frame that is pushed is context, the state is the one after that frame, since its treatment depends on a frame
// before it that is not available. Otherwise it is the state before the first frame.
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

// A clock as a network has it.
struct ClockRule {
  int parent = -1;  // of the source's: none
  TimeRulePtr rule{};
  bool looks_ahead = true;  // the rule waits for the parent's next unit
};

// One thread at a time.
class Timeline {
 public:
  // INVALID_ARGUMENT: a state that is not of these clocks.
  static StatusOr<Timeline> make(std::vector<ClockRule> clocks, std::string_view state);

  // The next unit of the source.
  void push(const FrameInfo& frame);
  void finish();  // no more come
  bool finished() const { return finished_; }

  // Units of a clock that are known: [0, known). No more come once it has ended.
  int64_t known(int clock) const { return clocks_[size_t(clock)].end(); }
  bool ended(int clock) const { return clocks_[size_t(clock)].ended; }
  const UnitInfo& unit(int clock, int64_t index) const { return clocks_[size_t(clock)].at(index); }
  // Returns the difference of a unit's number in the whole input and its index; nullopt: not known yet.
  std::optional<int64_t> number_offset(int clock) const { return clocks_[size_t(clock)].offset; }
  // The run that a known unit belongs to: its first unit, and the one after its last, once that is known.
  int64_t run_begin(int clock, int64_t index) const;
  std::optional<int64_t> run_end(int clock, int64_t index) const;

  // The parent's units that are planned for a clock: [0, planned). The plan of one, for rules that are not by unit.
  struct UnitPlan {
    int64_t first_child = 0;
    int children = 0;
    int32_t flags = 0;
  };
  int64_t planned(int clock) const;
  const UnitPlan& plan(int clock, int64_t parent_index) const;

  // Times of the clock count in the source's unit divided by this; the largest number stands for all that are larger.
  int64_t time_divisor(int clock) const { return clocks_[size_t(clock)].divisor; }

  // The state after this unit of the source; -1: before the first. Known once everything that comes of it is.
  std::string state_after(int64_t source_index) const;

  // Units before these will not be asked for.
  void forget(int clock, int64_t units_before);
  void forget_plans(int clock, int64_t parent_units_before);
  void forget_states(int64_t sources_before);

 private:
  struct Checkpoint {
    int64_t source_index = -1;
    int64_t value = 0;  // of the rule
    int64_t units = 0;  // of the clock, as pushed
    bool has_same_state(const Checkpoint& other) const {
      return value == other.value && units == other.units;
    }
  };
  struct Clock {
    ClockRule rule;
    std::vector<int> children;
    int64_t divisor = 1;
    std::deque<UnitInfo> units;
    int64_t begin = 0;  // of units
    bool ended = false;
    std::deque<int64_t> runs;  // where they begin, from the oldest unit's on

    // Of clocks with a parent, whose units are counted as pushed.
    std::unique_ptr<RuleFollower> follower;
    int64_t parent_seen = 0;
    std::deque<UnitPlan> plans;  // none of a rule by unit: nobody asks
    int64_t plans_begin = 0;

    std::deque<Checkpoint> states;  // after units of the source, where it changed
    Checkpoint first;               // before them
    int64_t first_number = 0;       // of the first unit after the state
    std::optional<int64_t> offset;  // from a unit's index to its number
    bool is_resumed = false;        // the rule's state is still to be taken
    bool first_is_over = false;     // all is known that comes of the source's first unit

    int64_t end() const { return begin + int64_t(units.size()); }
    const UnitInfo& at(int64_t index) const { return units[size_t(index - begin)]; }
  };

  explicit Timeline(std::vector<ClockRule> clocks);
  void add(int clock, UnitInfo unit);
  void advance(int clock);  // children follow
  void follow(Clock& child, int number, const Clock& parent);
  bool resume(Clock& child, const Clock& parent);
  void choose_offset(Clock& clock) const;
  void note_first(Clock& child, int number, const Clock& parent);
  bool is_before_state(const UnitInfo& unit) const;
  static void remember(Clock& clock, const Checkpoint& checkpoint);

  std::vector<Clock> clocks_;
  bool finished_ = false;
  int64_t run_ = 0;                // of the newest unit of the source
  bool is_resumed_ = false;        // there is a state
  bool first_is_context_ = false;  // the source's first unit
};

}  // namespace weft::graph
