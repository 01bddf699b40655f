// SPDX-License-Identifier: Apache-2.0
// Relates a clock to its parent clock: the units that are made from each parent unit, and their
// times. Uses no device and no samples.
//
// The outputs of nodes with equal rules on one clock share a clock. Without a rule (null), each
// unit yields one unit at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "server/graph/frame.h"
#include "server/graph/frame_map.h"
#include "server/graph/port.h"
#include "server/graph/unit_set.h"

namespace weft::graph {

// A parent unit with the units that are made from it.
struct PlannedUnit {
  std::vector<UnitInfo> units;  // units made from the parent unit, in order
  int32_t flags = 0;            // ROW_FLAGS of the parent unit's row, which the node reads
  int64_t state = 0;            // state of the rule after the parent unit
};

// Applies a rule to the units of a parent clock. Not thread-safe.
class RuleFollower {
 public:
  virtual ~RuleFollower() = default;

  // Adds the next unit of the parent clock. The first one has the index 0.
  virtual void push(const UnitInfo& unit) = 0;
  // Declares that no further units follow.
  virtual void finish() = 0;
  // Resumes with `state`, the rule's state before the parent unit with the index `unit`, which
  // next() has not returned yet. `number` is the number of that unit in the whole input. If
  // resume() is not called, all three are 0.
  virtual void resume(int64_t unit, int64_t number, int64_t state) = 0;
  // Returns whether the units before the resumed one depend on resume() too. If so, resume() must
  // be called before next().
  virtual bool needs_number() const = 0;
  // Returns the next parent unit in order, or nullopt if it cannot be planned yet.
  virtual std::optional<PlannedUnit> next() = 0;
};

// A rule. Immutable; may be used on any thread.
class TimeRule {
 public:
  virtual ~TimeRule() = default;

  virtual bool equals(const TimeRule& other) const = 0;
  // Largest number of units per parent unit in the long term.
  virtual Rate rate() const = 0;
  virtual int64_t time_divisor() const = 0;  // divisor of the parent's time unit
  // Return the largest and smallest number of units made from `parents` consecutive parent units,
  // and the largest number of parent units that `units` consecutive units are made from.
  virtual int most_units(int parents) const = 0;
  virtual int fewest_units(int parents) const = 0;
  virtual int most_parents(int units) const = 0;
  // Returns the parent units that `units` are made from, or all units if the rule cannot predict
  // them.
  virtual UnitSet parents_of(const UnitSet& units) const { return units.is_none() ? units : UnitSet::all(); }
  // Returns true if a node processes each output unit separately, and false if it processes each
  // parent unit and writes all output units made from it.
  virtual bool is_by_unit() const = 0;
  // Returns the number of slots of an output in a row of the node's table: the largest number of
  // output units per processed unit.
  virtual int targets() const = 0;
  // Returns whether a plan waits for the next unit of the parent clock. `exact_durations`: the
  // duration of each unit is the time to the next one. `windows_do`: nodes read the next unit
  // anyway.
  virtual bool lookahead(bool exact_durations, bool windows_do) const = 0;
  virtual std::unique_ptr<RuleFollower> follow(bool lookahead) const = 0;
  // Returns the map that lists all units of the rule, or null if there is none.
  virtual const FrameMap* listed() const { return nullptr; }
};
using TimeRulePtr = std::shared_ptr<const TimeRule>;

bool equal_rules(const TimeRulePtr& a, const TimeRulePtr& b);

// Returns a rule that makes one unit for each entry of `map`. Rules with the same map are equal.
// With `makes_progressive`, the frames lose the flags of interlaced frames and of repetition.
TimeRulePtr by_map(std::shared_ptr<const FrameMap> map, bool makes_progressive = false);

}  // namespace weft::graph
