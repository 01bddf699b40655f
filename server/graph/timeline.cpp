// SPDX-License-Identifier: Apache-2.0
#include "server/graph/timeline.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace weft::graph {
namespace {

// A state consists of 64-bit numbers: for each clock the number of units, and the value of its
// rule.
void append(std::string& state, int64_t value) {
  state.append(reinterpret_cast<const char*>(&value), sizeof(value));
}
int64_t take(std::string_view& state) {
  int64_t value = 0;
  std::memcpy(&value, state.data(), sizeof(value));
  state.remove_prefix(sizeof(value));
  return value;
}

int64_t product_or_most(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

}  // namespace

Timeline::Timeline(std::vector<ClockRule> rules) {
  clocks_.resize(rules.size());
  for (size_t i = 0; i < rules.size(); i++) {
    Clock& clock = clocks_[i];
    clock.rule = std::move(rules[i]);
    if (clock.rule.parent < 0) continue;
    Clock& parent = clocks_[size_t(clock.rule.parent)];
    parent.children.push_back(int(i));
    clock.divisor = product_or_most(parent.divisor, clock.rule.rule->time_divisor());
    clock.follower = clock.rule.rule->follow(clock.rule.lookahead);
  }
}

StatusOr<Timeline> Timeline::make(std::vector<ClockRule> rules, std::string_view state) {
  Timeline timeline(std::move(rules));
  if (state.empty()) {
    for (Clock& clock : timeline.clocks_) clock.offset = 0;
    return timeline;
  }
  const size_t bytes = (2 * timeline.clocks_.size() - 1) * sizeof(int64_t);
  if (state.size() != bytes)
    return invalid_argument("A segment's state has {} bytes, and this chain of filters keeps {}.",
                            state.size(), bytes);
  timeline.is_resumed_ = true;
  for (Clock& clock : timeline.clocks_) {
    clock.first_number = take(state);
    if (clock.follower == nullptr) continue;
    clock.first.value = take(state);
    clock.is_resumed = true;
  }
  return timeline;
}

void Timeline::push(const FrameInfo& frame) {
  UnitInfo unit;
  unit.frame = frame;
  unit.source_index = clocks_[0].end();
  unit.ends_source = true;
  if (unit.source_index == 0) first_is_context_ = frame.context;
  if (frame.discontinuity && unit.source_index > 0) run_++;
  unit.run = run_;
  clocks_[0].first_is_over = true;
  add(0, std::move(unit));
}

void Timeline::finish() {
  finished_ = true;
  clocks_[0].ended = true;
  choose_offset(clocks_[0]);
  advance(0);
}

void Timeline::add(int number, UnitInfo unit) {
  Clock& clock = clocks_[size_t(number)];
  if (unit.frame.discontinuity || clock.end() == 0) clock.runs.push_back(clock.end());
  clock.units.push_back(std::move(unit));
  choose_offset(clock);
  advance(number);
}

void Timeline::advance(int number) {
  const Clock& parent = clocks_[size_t(number)];
  for (const int child : parent.children) follow(clocks_[size_t(child)], child, parent);
}

void Timeline::follow(Clock& child, int number, const Clock& parent) {
  for (; child.parent_seen < parent.end(); child.parent_seen++)
    child.follower->push(parent.at(child.parent_seen));
  if (parent.ended) child.follower->finish();
  while (resume(child, parent) || !child.follower->needs_number()) {
    std::optional<PlannedUnit> planned = child.follower->next();
    if (!planned) break;
    const UnitInfo& from = parent.at(this->planned(number));
    if (child.rule.rule->is_by_unit())
      child.plans_begin++;
    else
      child.plans.push_back({child.end(), int(planned->units.size()), planned->flags});
    if (!is_before_state(from))
      remember(child, {from.source_index, planned->state, child.end() + int64_t(planned->units.size())});
    for (UnitInfo& unit : planned->units) add(number, std::move(unit));
  }
  note_first(child, number, parent);
  if (parent.ended && !child.ended) {
    child.ended = true;
    choose_offset(child);
    advance(number);
  }
}

// Passes the state to the rule once the index of the rule's first unit is known. Returns true if
// the rule has its state.
bool Timeline::resume(Clock& child, const Clock& parent) {
  if (!child.is_resumed) return true;
  if (!parent.offset) return false;
  child.follower->resume(parent.first_number - *parent.offset, parent.first_number, child.first.value);
  child.is_resumed = false;
  return true;
}

// Sets the offset from index to number once the index of the first unit after the state is known.
void Timeline::choose_offset(Clock& clock) const {
  if (clock.offset) return;
  int64_t first = clock.begin;
  while (first < clock.end() && is_before_state(clock.at(first))) first++;
  if (first == clock.end() && !clock.first_is_over && !clock.ended) return;
  clock.first.units = first;
  clock.offset = clock.first_number - first;
}

// Notes that all units made from the first source unit are known. No unit can mark this, since the
// last one may be dropped.
void Timeline::note_first(Clock& child, int number, const Clock& parent) {
  const int64_t next = planned(number);
  if (child.first_is_over || !parent.first_is_over) return;
  if (next < parent.end() && parent.at(next).source_index == 0) return;
  child.first_is_over = true;
  choose_offset(child);
  advance(number);
}

// Returns whether a unit precedes the state: the state is the one after the first source unit if
// that unit is context.
bool Timeline::is_before_state(const UnitInfo& unit) const {
  return unit.source_index == 0 && is_resumed_ && first_is_context_;
}

void Timeline::remember(Clock& clock, const Checkpoint& checkpoint) {
  if (!clock.states.empty() && clock.states.back().source_index == checkpoint.source_index)
    clock.states.back() = checkpoint;
  else if (!checkpoint.has_same_state(clock.states.empty() ? clock.first : clock.states.back()))
    clock.states.push_back(checkpoint);
}

std::string Timeline::state_after(int64_t source_index) const {
  std::string state;
  for (const Clock& clock : clocks_) {
    Checkpoint newest = clock.first;
    if (clock.follower == nullptr) newest.units = source_index + 1;
    for (const Checkpoint& checkpoint : clock.states) {
      if (checkpoint.source_index > source_index) break;
      newest = checkpoint;
    }
    append(state, newest.units + clock.offset.value_or(clock.first_number - clock.first.units));
    if (clock.follower != nullptr) append(state, newest.value);
  }
  return state;
}

int64_t Timeline::units_in(std::string_view state, int clock) {
  // Clock 0 has no rule and thus one number.
  state.remove_prefix(sizeof(int64_t) * size_t(std::max(2 * clock - 1, 0)));
  return take(state);
}

int64_t Timeline::run_begin(int number, int64_t index) const {
  const Clock& clock = clocks_[size_t(number)];
  const auto after = std::ranges::upper_bound(clock.runs, index);
  return after == clock.runs.begin() ? 0 : *std::prev(after);
}

std::optional<int64_t> Timeline::run_end(int number, int64_t index) const {
  const Clock& clock = clocks_[size_t(number)];
  const auto after = std::ranges::upper_bound(clock.runs, index);
  if (after != clock.runs.end()) return *after;
  return clock.ended ? std::optional(clock.end()) : std::nullopt;
}

int64_t Timeline::planned(int number) const {
  const Clock& clock = clocks_[size_t(number)];
  return clock.plans_begin + int64_t(clock.plans.size());
}

const Timeline::UnitPlan& Timeline::plan(int number, int64_t parent_index) const {
  const Clock& clock = clocks_[size_t(number)];
  return clock.plans[size_t(parent_index - clock.plans_begin)];
}

void Timeline::forget(int number, int64_t units_before) {
  Clock& clock = clocks_[size_t(number)];
  // The derived clocks still read the newest units of their parent.
  for (const int child : clock.children)
    units_before = std::min(units_before, clocks_[size_t(child)].parent_seen - 2);
  for (; clock.begin < units_before && clock.units.size() > 1; clock.begin++) clock.units.pop_front();
  while (clock.runs.size() > 1 && clock.runs[1] <= clock.begin) clock.runs.pop_front();
}

void Timeline::forget_plans(int number, int64_t parent_units_before) {
  Clock& clock = clocks_[size_t(number)];
  for (; clock.plans_begin < parent_units_before && !clock.plans.empty(); clock.plans_begin++)
    clock.plans.pop_front();
}

void Timeline::forget_states(int64_t sources_before) {
  for (Clock& clock : clocks_)
    while (clock.states.size() > 1 && clock.states[1].source_index < sources_before) {
      clock.first = clock.states.front();
      clock.states.pop_front();
    }
}

}  // namespace weft::graph
