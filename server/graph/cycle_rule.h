// SPDX-License-Identifier: Apache-2.0
// A time rule that drops one unit of each cycle. The device may choose the dropped unit, since the
// clock does not depend on the choice.
#pragma once

#include "server/graph/time_rule.h"

namespace weft::graph {

// Returns a rule that makes `cycle` - 1 units of each `cycle` units: one from each unit except the
// last one of the cycle. `cycle` is at least 2. Cycles are counted from the start of the input and
// from each discontinuity. A cycle that the end of a run cuts off keeps all its units.
//
// The units are evenly spaced: the unit at position n of its cycle begins n / (cycle - 1) of the
// parent unit's duration after the parent unit, and lasts cycle / (cycle - 1) of it. The duration
// of a parent unit must therefore be the time to the next one. ROW_WORD is the position. A node
// that drops the unit at position d copies the unit at n if n < d, and the next one otherwise.
TimeRulePtr by_cycle(int cycle);

}  // namespace weft::graph
