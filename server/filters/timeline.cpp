// SPDX-License-Identifier: Apache-2.0
#include "server/filters/timeline.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace weft::filters {
namespace {

constexpr size_t kStateBytes = sizeof(int64_t);  // of a clock that has one

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
    clock.divisor = parent.divisor;
    if (const auto* fields = std::get_if<FieldRule>(&clock.rule.rule)) {
      clock.planner.emplace(*fields, clock.rule.looks_ahead);
      if (fields->per_field) clock.divisor = product_or_most(clock.divisor, 2);
    } else if (const auto* map = std::get_if<std::shared_ptr<const FrameMap>>(&clock.rule.rule)) {
      clock.map = map->get();
      clock.divisor = product_or_most(clock.divisor, clock.map->time_divisor);
    }
  }
}

StatusOr<Timeline> Timeline::make(std::vector<ClockRule> rules, std::string_view state) {
  Timeline timeline(std::move(rules));
  size_t stateful = 0;
  for (const Clock& clock : timeline.clocks_) stateful += clock.has_state() ? 1 : 0;
  if (state.empty()) return timeline;
  if (state.size() != stateful * kStateBytes)
    return invalid_argument("A segment's state has {} bytes, and this chain of filters keeps {}.",
                            state.size(), stateful * kStateBytes);
  timeline.is_resumed_ = true;
  for (Clock& clock : timeline.clocks_) {
    if (!clock.has_state()) continue;
    std::memcpy(&clock.first_state, state.data(), kStateBytes);
    state.remove_prefix(kStateBytes);
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
  clocks_[0].first_is_over = true;
  add(0, std::move(unit));
}

void Timeline::finish() {
  finished_ = true;
  clocks_[0].ended = true;
  advance(0);
}

void Timeline::add(int number, UnitInfo unit) {
  Clock& clock = clocks_[size_t(number)];
  if (unit.frame.discontinuity || clock.end() == 0) clock.runs.push_back(clock.end());
  clock.units.push_back(std::move(unit));
  advance(number);
}

void Timeline::advance(int number) {
  const Clock& parent = clocks_[size_t(number)];
  for (const int child : parent.children) {
    Clock& clock = clocks_[size_t(child)];
    if (clock.planner) advance_fields(clock, child, parent);
    if (clock.map != nullptr) advance_map(clock, child, parent);
  }
}

void Timeline::advance_fields(Clock& child, int number, const Clock& parent) {
  for (; child.parent_seen < parent.end(); child.parent_seen++)
    child.planner->push(parent.at(child.parent_seen).frame);
  if (parent.ended) child.planner->finish();
  const bool halves = child.divisor > parent.divisor;
  while (true) {
    const int64_t next = fields_planned(number);
    if (child.is_resumed && takes_state(parent, next)) {
      child.planner->set_state({child.first_state != 0});
      child.is_resumed = false;
    }
    const std::optional<PlannedFrame> planned = child.planner->next();
    if (!planned) break;
    const UnitInfo& from = parent.at(planned->index);
    child.plans.push_back({*planned, child.end()});
    if (!child.is_resumed) remember(child, from.source_index, planned->after.started ? 1 : 0);
    for (int k = 0; k < planned->outputs; k++) {
      UnitInfo unit;
      unit.frame.pts = halves ? planned->output[k].pts : planned->output[k].pts / 2;
      unit.frame.duration = halves ? planned->output[k].duration : planned->output[k].duration / 2;
      unit.frame.interlaced = planned->copies && from.frame.interlaced;
      unit.frame.top_field_first = planned->copies && from.frame.top_field_first;
      unit.frame.repeats_field = planned->copies && from.frame.repeats_field;
      unit.frame.discontinuity = from.frame.discontinuity && k == 0;
      unit.frame.context = planned->context;
      unit.frame.side = from.frame.side;
      unit.source_index = from.source_index;
      unit.ends_source = from.ends_source && k + 1 == planned->outputs;
      add(number, std::move(unit));
    }
  }
  note_first(child, number, parent, fields_planned(number));
  if (parent.ended && !child.ended) {
    child.ended = true;
    advance(number);
  }
}

// `next`: the parent's unit that the child's rule comes to next. The last unit that comes of the source's first may be one that is
// dropped, so that no unit tells.
void Timeline::note_first(Clock& child, int number, const Clock& parent, int64_t next) {
  if (child.first_is_over || !parent.first_is_over) return;
  if (next < parent.end() && parent.at(next).source_index == 0) return;
  child.first_is_over = true;
  advance(number);
}

// The first unit of the source is context of which the state says what is remembered.
bool Timeline::is_before_state(const UnitInfo& unit) const {
  return unit.source_index == 0 && is_resumed_ && first_is_context_;
}

// Whether the parent's unit, the next to be worked on, is the first that the state is for.
bool Timeline::takes_state(const Clock& parent, int64_t index) const {
  return index < parent.end() && !is_before_state(parent.at(index));
}

// The number of a pushed unit in the whole input follows from that of the first one that the state is for.
bool Timeline::find_offset(Clock& child, const Clock& parent) {
  int64_t first = parent.begin;
  while (first < parent.end() && is_before_state(parent.at(first))) first++;
  if (first == parent.end() && !parent.first_is_over && !parent.ended) return false;
  child.offset = child.first_state - first;
  const auto& entries = child.map->entries;
  child.next_entry =
      size_t(std::ranges::lower_bound(entries, *child.offset, {}, &FrameMap::Entry::unit) - entries.begin());
  return true;
}

void Timeline::advance_map(Clock& child, int number, const Clock& parent) {
  if (!child.offset && !find_offset(child, parent)) return;
  for (; child.parent_seen < parent.end(); child.parent_seen++) {
    const UnitInfo& from = parent.at(child.parent_seen);
    const int64_t whole = child.parent_seen + *child.offset;
    if (!is_before_state(from)) remember(child, from.source_index, whole + 1);
    const auto& entries = child.map->entries;
    while (child.next_entry < entries.size() && entries[child.next_entry].unit == whole)
      add_mapped(child, number, parent, entries[child.next_entry++]);
    if (const int every = child.map->every; every > 0 && whole % every == 0)
      add_mapped(
          child, number, parent,
          {whole, from.frame.pts, product_or_most(every, from.frame.duration), int32_t(whole / every % 2)});
  }
  note_first(child, number, parent, child.parent_seen);
  if (parent.ended && !child.ended) {
    child.ended = true;
    advance(number);
  }
}

void Timeline::add_mapped(Clock& child, int number, const Clock& parent, const FrameMap::Entry& entry) {
  const int64_t from_index = entry.unit - *child.offset;
  const UnitInfo& from = parent.at(from_index);
  UnitInfo unit;
  unit.frame = from.frame;
  unit.frame.pts = entry.pts;
  unit.frame.duration = entry.duration;
  const int64_t previous = child.units.empty() ? -1 : child.units.back().parent;
  unit.frame.discontinuity = false;
  for (const int64_t begin : parent.runs)
    if (begin > previous && begin <= from_index && begin > 0) unit.frame.discontinuity = true;
  const bool is_last_of_unit = child.next_entry + 1 >= child.map->entries.size() ||
                               child.map->entries[child.next_entry + 1].unit != entry.unit;
  unit.source_index = from.source_index;
  unit.ends_source = from.ends_source && is_last_of_unit;
  unit.parent = from_index;
  unit.word = entry.word;
  add(number, std::move(unit));
}

void Timeline::remember(Clock& clock, int64_t source_index, int64_t value) {
  if (!clock.states.empty() && clock.states.back().source_index == source_index)
    clock.states.back().value = value;
  else if (clock.states.empty() ? value != clock.first_state : value != clock.states.back().value)
    clock.states.push_back({source_index, value});
}

std::string Timeline::state_after(int64_t source_index) const {
  std::string state;
  for (const Clock& clock : clocks_) {
    if (!clock.has_state()) continue;
    int64_t value = clock.first_state;
    for (const Checkpoint& checkpoint : clock.states) {
      if (checkpoint.source_index > source_index) break;
      value = checkpoint.value;
    }
    state.append(reinterpret_cast<const char*>(&value), kStateBytes);
  }
  return state;
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

int64_t Timeline::fields_planned(int number) const {
  const Clock& clock = clocks_[size_t(number)];
  return clock.plans_begin + int64_t(clock.plans.size());
}

const Timeline::FieldPlan& Timeline::field_plan(int number, int64_t parent_index) const {
  const Clock& clock = clocks_[size_t(number)];
  return clock.plans[size_t(parent_index - clock.plans_begin)];
}

void Timeline::forget(int number, int64_t units_before) {
  Clock& clock = clocks_[size_t(number)];
  // Children still look at the newest units of their parent.
  for (const int child : clock.children)
    units_before = std::min(units_before, clocks_[size_t(child)].parent_seen - 2);
  for (; clock.begin < units_before && clock.units.size() > 1; clock.begin++) clock.units.pop_front();
  while (clock.runs.size() > 1 && clock.runs[1] <= clock.begin) clock.runs.pop_front();
}

void Timeline::forget_field_plans(int number, int64_t parent_units_before) {
  Clock& clock = clocks_[size_t(number)];
  for (; clock.plans_begin < parent_units_before && !clock.plans.empty(); clock.plans_begin++)
    clock.plans.pop_front();
}

void Timeline::forget_states(int64_t sources_before) {
  for (Clock& clock : clocks_)
    while (clock.states.size() > 1 && clock.states[1].source_index < sources_before) {
      clock.first_state = clock.states.front().value;
      clock.states.pop_front();
    }
}

}  // namespace weft::filters
