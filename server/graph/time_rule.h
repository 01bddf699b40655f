// SPDX-License-Identifier: Apache-2.0
// The relation of a clock to its parent: the units that come of each unit of the parent, and their times. Pure: no device, no samples.
//
// Nodes with equal rules on one clock share the clock of their outputs. No rule (null) passes units one for one, at the same time.
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

// A unit of the parent that is planned.
struct PlannedUnit {
  std::vector<UnitInfo> units;  // that come of it, in order
  int32_t flags = 0;            // for the node: ROW_FLAGS of its row
  int64_t state = 0;            // of the rule, after this unit
};

// Applies a rule to the units of a parent. One thread at a time.
class RuleFollower {
 public:
  virtual ~RuleFollower() = default;

  // The parent's next unit; they are counted from 0.
  virtual void push(const UnitInfo& unit) = 0;
  // No more units come.
  virtual void finish() = 0;
  // `state` is the rule's before the parent's unit `unit`, which next() did not give yet, and `number` that unit's in the whole
  // input. Without a call all three are 0.
  virtual void resume(int64_t unit, int64_t number, int64_t state) = 0;
  // Whether units before that one cannot be planned without the call either.
  virtual bool needs_number() const = 0;
  // The parent's next unit in order, once its plan is known.
  virtual std::optional<PlannedUnit> next() = 0;
};

// Immutable; any thread.
class TimeRule {
 public:
  virtual ~TimeRule() = default;

  virtual bool equals(const TimeRule& other) const = 0;
  virtual Rate rate() const = 0;             // units for one of the parent: the most over a long time
  virtual int64_t time_divisor() const = 0;  // of the parent's unit of time
  // Units that come of `parents` in a row: bounds. And the parents that `units` in a row come of, at most.
  virtual int most_units(int parents) const = 0;
  virtual int fewest_units(int parents) const = 0;
  virtual int most_parents(int units) const = 0;
  // The parents that `units` come of; a rule that cannot tell ahead needs all.
  virtual UnitSet parents_of(const UnitSet& units) const { return units.is_none() ? units : UnitSet::all(); }
  // A node works on each unit that comes out by itself; else on each of the parent's, and writes all that come of it.
  virtual bool is_by_unit() const = 0;
  // Slots of each output in a row of the node's table: the most units that come of the one it works on.
  virtual int targets() const = 0;
  // Whether a plan waits for the parent's next unit. `exact_durations`: each duration is the time to the next unit;
  // `windows_do`: nodes look at the next unit.
  virtual bool looks_ahead(bool exact_durations, bool windows_do) const = 0;
  virtual std::unique_ptr<RuleFollower> follow(bool looks_ahead) const = 0;
};
using TimeRulePtr = std::shared_ptr<const TimeRule>;

bool equal_rules(const TimeRulePtr& a, const TimeRulePtr& b);

// A unit for each entry of a map. Rules are equal where they have the same map.
TimeRulePtr by_map(std::shared_ptr<const FrameMap> map);

}  // namespace weft::graph
