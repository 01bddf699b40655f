// SPDX-License-Identifier: Apache-2.0
// When the units of a network's ports are, and which unit comes of which: worked out for all clocks as frames are pushed, ahead
// of any samples. Pure: no device.
//
// A clock is a sequence of units. Clock 0 is the source's; each other one follows from its parent by a rule. Times of a clock
// count in the source's unit divided by time_divisor(). A run is a sequence of units without a discontinuity: nothing of
// another run is ever looked at.
//
// A segment of a clip begins with a state: what the rules remember of the frames before. It is bytes, so that it can be stored. It is that
// after the first frame that is pushed, where that one is context, for what becomes of it hangs on the frame before it, which is not
// there; else that before it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/field_timing.h"
#include "server/filters/node.h"

namespace weft::filters {

// A clock as a network has it.
struct ClockRule {
  int parent = -1;  // of the source's: none
  TimeRule rule = PassRule();
  bool looks_ahead = true;  // a field rule waits for the next frame
};

// A unit of a clock.
struct UnitInfo {
  FrameInfo frame;           // times as the clock counts them
  int64_t source_index = 0;  // the source's unit that it comes of, counted as pushed
  bool ends_source = false;  // no more units of this clock come of that one
  int64_t parent = 0;        // the parent's unit, for a clock by a map
  int32_t word = 0;          // likewise, the map's
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
  // The run that a known unit belongs to: its first unit, and the one after its last, once that is known.
  int64_t run_begin(int clock, int64_t index) const;
  std::optional<int64_t> run_end(int clock, int64_t index) const;

  // Of a clock by a field rule: the parent's units that are planned, and the plan of one. planned.index and its neighbours
  // count as the parent does; `first_child` is its first unit of this clock.
  struct FieldPlan {
    PlannedFrame planned;
    int64_t first_child = 0;
  };
  int64_t fields_planned(int clock) const;
  const FieldPlan& field_plan(int clock, int64_t parent_index) const;

  // Times of the clock count in the source's unit divided by this; the largest number stands for all that are larger.
  int64_t time_divisor(int clock) const { return clocks_[size_t(clock)].divisor; }

  // What the rules remember after this unit of the source; -1: before the first. Known once everything that comes of it is.
  std::string state_after(int64_t source_index) const;

  // Units before these will not be asked for.
  void forget(int clock, int64_t units_before);
  void forget_field_plans(int clock, int64_t parent_units_before);
  void forget_states(int64_t sources_before);

 private:
  struct Checkpoint {
    int64_t source_index;
    int64_t value;
  };
  struct Clock {
    ClockRule rule;
    std::vector<int> children;
    int64_t divisor = 1;
    std::deque<UnitInfo> units;
    int64_t begin = 0;  // of units
    bool ended = false;
    std::deque<int64_t> runs;  // where they begin, from the oldest unit's on

    // By a field rule.
    std::optional<FieldPlanner> planner;
    std::deque<FieldPlan> plans;
    int64_t plans_begin = 0;

    // By a map. Units of the parent are counted from the whole input's beginning.
    const FrameMap* map = nullptr;
    std::optional<int64_t>
        offset;  // added to a pushed parent's number; known once first_is_over of the parent
    size_t next_entry = 0;
    int64_t parent_seen = 0;  // of the parent's units, as pushed

    std::deque<Checkpoint> states;  // after units of the source, where it changed
    int64_t first_state = 0;
    bool is_resumed = false;     // the state is still to be taken
    bool first_is_over = false;  // all is known that comes of the source's first unit

    int64_t end() const { return begin + int64_t(units.size()); }
    const UnitInfo& at(int64_t index) const { return units[size_t(index - begin)]; }
    bool has_state() const { return planner.has_value() || map != nullptr; }
  };

  explicit Timeline(std::vector<ClockRule> clocks);
  void add(int clock, UnitInfo unit);
  void advance(int clock);  // children follow
  void advance_fields(Clock& child, int number, const Clock& parent);
  void advance_map(Clock& child, int number, const Clock& parent);
  void note_first(Clock& child, int number, const Clock& parent, int64_t next);
  bool is_before_state(const UnitInfo& unit) const;
  bool takes_state(const Clock& parent, int64_t index) const;
  bool find_offset(Clock& child, const Clock& parent);
  void add_mapped(Clock& child, int number, const Clock& parent, const FrameMap::Entry& entry);
  void remember(Clock& clock, int64_t source_index, int64_t value);

  std::vector<Clock> clocks_;
  bool finished_ = false;
  bool is_resumed_ = false;        // there is a state
  bool first_is_context_ = false;  // the source's first unit
};

}  // namespace weft::filters
