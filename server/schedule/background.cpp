// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/background.h"

#include <algorithm>
#include <vector>

#include "server/schedule/durations.h"
#include "server/schedule/stream_load.h"

namespace weft::schedule {
namespace {

// Share of the aging limit after which an overlong unit may start at any time.
constexpr double kLastResort = 1.25;
// Share of the period that must remain until each deadline, unless the source aged.
constexpr double kReserve = 0.05;
// Load of streams above which the time to catch up is no longer computed.
constexpr double kMostLoad = 0.98;

void limit(std::optional<Duration>& value, Duration by) {
  value = value.has_value() ? std::min(*value, by) : by;
}

void change_at(Headroom& headroom, TimePoint time) {
  headroom.changes_at = headroom.changes_at.has_value() ? std::min(*headroom.changes_at, time) : time;
}

// Sets the reason that no batch starts. kArrivalNear yields to other reasons, since it does not
// hold back a source that aged.
void hold(Headroom& headroom, Reason reason) {
  if (!headroom.hold.has_value() || *headroom.hold == Reason::kArrivalNear) headroom.hold = reason;
}

void shorten(Headroom& headroom, Duration longest) {
  headroom.longest = std::min(headroom.longest, longest);
  headroom.max_in_flight = 1;
  headroom.reason = Reason::kShortSlice;
}

// Returns the longest batch during which a frame may arrive. The frame waits for the rest of it.
Duration slice_beside(const ScheduleState& state, const SourceSpec& stream) {
  const ScheduleLimits& limits = state.limits;
  const Duration frame = predicted_cost(state, stream, stream.units_per_period);
  return std::clamp(part_of(frame, limits.slice_of_frame), part_of(stream.period, limits.slice_at_least),
                    part_of(stream.period, limits.slice_at_most));
}

// Returns the time from the end of a frame that did not wait to its deadline.
Duration slack_of(const ScheduleState& state, const SourceSpec& stream) {
  return std::max(deadline_of(stream) - predicted_cost(state, stream, stream.units_per_period), Duration(0));
}

// Limits the headroom to the time that a stream leaves from now on.
void leave_to_stream(const ScheduleState& state, const Source& stream, TimePoint now, Headroom& headroom) {
  using Kind = ArrivalClock::Expectation::Kind;
  if (headroom.reason == Reason::kQuantum) headroom.reason = Reason::kGap;
  if (stream.ready > 0 || stream.in_flight > 0) return hold(headroom, Reason::kFrameInWork);
  const ArrivalClock::Expectation next = stream.clock->expect(now);
  const Duration sure = next.from - state.limits.guard - now;
  // The gap of a loose clock ends when the rest of it is hardly longer than a slice.
  const Duration too_short = slice_beside(state, stream.spec) + state.limits.guard;
  const bool ends_loosely = next.kind == Kind::kAt && next.loose && sure <= too_short;
  if (next.kind == Kind::kUnknown || next.missing || ends_loosely) {
    const Duration unit = part_of(stream.spec.period, state.limits.unit_at_most);
    shorten(headroom, next.silent ? unit : slice_beside(state, stream.spec));
    headroom.longest_unit = std::min(headroom.longest_unit, unit);
    limit(headroom.budget, state.period.budget());
    change_at(headroom, state.period.period_end());
  }
  if (next.kind == Kind::kUnknown || ends_loosely) return;
  change_at(headroom, next.loose ? now + sure - too_short : next.until + Duration(1));
  if (next.loose) {  // a frame that arrives earlier still meets its deadline
    headroom.longest = std::min(headroom.longest, slack_of(state, stream.spec) / 2);
    headroom.max_in_flight = 1;
  }
  const Duration left = next.kind == Kind::kDue ? Duration(0) : sure;
  limit(headroom.gap, left);
  if (left <= Duration(0)) hold(headroom, Reason::kArrivalNear);
}

void leave_to_lock(const ScheduleState& state, TimePoint now, Headroom& headroom) {
  const ExternalLoadAdvice advice = state.lock.advise(now);
  if (advice.is_free()) return;
  headroom.may_delay = false;  // the delay that another program tolerates is unknown
  headroom.watched = advice.watched;
  headroom.probe_now = advice.probe_now;
  if (headroom.reason == Reason::kQuantum) headroom.reason = Reason::kGap;
  if (advice.from > now) {
    if (advice.from != TimePoint::max()) change_at(headroom, advice.from);
    return hold(headroom, Reason::kExternalWork);
  }
  headroom.longest = std::min(headroom.longest, advice.longest);
  if (advice.one_at_a_time) shorten(headroom, advice.longest);
  headroom.one_unit = advice.trial;
  if (advice.until == TimePoint::max()) return;
  change_at(headroom, advice.until);
  limit(headroom.gap, advice.until - now);
  headroom.gap_start = std::max(headroom.gap_start, advice.gap_start);
}

// Returns the predicted time until the background work in flight ends. A batch that has exceeded
// its prediction counts as ended.
Duration time_left(const ScheduleState& state, bool with_margins, TimePoint now) {
  Duration left{0};
  bool runs = true;
  for (const RunningBatch& batch : state.in_flight) {
    if (!is_background(batch.work_class)) continue;
    const Duration length = batch.predicted + (with_margins ? batch.margin : Duration(0));
    left += length;
    if (runs) left -= std::min(length, now - batch.runs_since);
    runs = false;
  }
  return std::max(left, Duration(0));
}

int background_in_flight(const ScheduleState& state) {
  return int(std::count_if(state.in_flight.begin(), state.in_flight.end(),
                           [](const RunningBatch& batch) { return is_background(batch.work_class); }));
}

Duration waited(const Source& source, TimePoint now) {
  return source.waiting_since.has_value() ? now - *source.waiting_since : Duration(0);
}

bool is_aged(const ScheduleState& state, const Source& source, TimePoint now) {
  return source.waiting_since.has_value() && waited(source, now) >= state.limits.aging;
}

// Returns whether the background source has ready units that are not probes.
bool waits_for_turn(const Source& source) {
  return is_background(source.spec.work_class) && !source.spec.probes_only && source.ready > 0 &&
         !source.stopping;
}

// A waiting source and the criteria that determine its turn.
struct Waiting {
  const Source* source;
  bool aged;
  FairShare::Tags tags;

  // The order is the one in device_schedule.h.
  bool is_before(const Waiting& other) const {
    const Source &a = *source, &b = *other.source;
    if (aged != other.aged) return aged;
    if (aged && *a.waiting_since != *b.waiting_since) return *a.waiting_since < *b.waiting_since;
    if (a.spec.work_class != b.spec.work_class) return a.spec.work_class < b.spec.work_class;
    if (a.spec.priority != b.spec.priority) return a.spec.priority > b.spec.priority;
    if (tags.owner != other.tags.owner) return tags.owner < other.tags.owner;
    if (const int order = a.spec.owner.compare(b.spec.owner); order != 0) return order < 0;
    if (tags.source != other.tags.source) return tags.source < other.tags.source;
    return a.spec.id < b.spec.id;
  }
};

// Iterates over the waiting sources in order of their turns. In most cases only the first is used.
class TurnOrder {
 public:
  TurnOrder(const ScheduleState& state, TimePoint now) {
    waiting_.reserve(state.sources.size());
    for (const auto& [id, source] : state.sources) {
      if (!waits_for_turn(source)) continue;
      const auto share = state.shares.find({source.spec.work_class, source.spec.priority});
      waiting_.push_back(
          {&source, is_aged(state, source, now),
           share == state.shares.end() ? FairShare::Tags() : share->second.tags_of(source.spec.owner, id)});
    }
    std::make_heap(waiting_.begin(), waiting_.end(), is_after);
  }
  bool empty() const { return waiting_.empty(); }
  const Source& first() const { return *waiting_.front().source; }
  void next() {
    std::pop_heap(waiting_.begin(), waiting_.end(), is_after);
    waiting_.pop_back();
  }

 private:
  static bool is_after(const Waiting& a, const Waiting& b) { return b.is_before(a); }
  std::vector<Waiting> waiting_;
};

// The number of waiting sources, whether one of them aged, and a source that begins to starve.
struct Waits {
  int sources = 0;
  bool aged = false;
  std::optional<SourceId> starves;
};
bool begins_to_starve(const ScheduleState& state, const Source& source, TimePoint now) {
  return !source.starves && waited(source, now) >= 2 * state.limits.aging;
}
Waits what_waits(const ScheduleState& state, TimePoint now) {
  Waits waits;
  for (const auto& [id, source] : state.sources) {
    if (!waits_for_turn(source)) continue;
    waits.sources++;
    waits.aged = waits.aged || is_aged(state, source, now);
    if (!waits.starves.has_value() && begins_to_starve(state, source, now)) waits.starves = id;
  }
  return waits;
}

// Searches for the batch of a source that may start now.
class Fit {
 public:
  Fit(const ScheduleState& state, const Headroom& headroom, bool is_contended, TimePoint now)
      : state_(state),
        headroom_(headroom),
        now_(now),
        in_flight_(background_in_flight(state)),
        is_contended_(is_contended),
        left_(time_left(state, false, now)),
        left_at_most_(time_left(state, true, now)) {}

  std::optional<BatchChoice> batch_of(const Source& source) const {
    const auto found = state_.costs.find(source.spec.cost_key);
    const BatchCost* cost = found == state_.costs.end() || !found->second.known() ? nullptr : &found->second;
    const bool aged = is_aged(state_, source, now_);
    if (cost == nullptr) return probe_of(source, aged);
    const double stretch = headroom_.is_protecting() ? 1 + cost->margin() : 1;
    Duration within = headroom_.longest;
    if (headroom_.budget.has_value()) within = std::min(within, *headroom_.budget);
    if (headroom_.gap.has_value())
      within = std::min(within, part_of(*headroom_.gap - left_at_most_, 1 / stretch));
    const int full = cost->largest_within(within, headroom_.one_unit ? 1 : source.max_units);
    const int units = std::min(source.ready, full);
    const Duration predicted = cost->predict(units);
    if (headroom_.is_protecting() && units == 1 && predicted > within) {
      const bool in_budget = !headroom_.budget.has_value() || predicted <= *headroom_.budget;
      const bool fits =
          predicted <= headroom_.longest_unit && fits_gap(predicted, stretch) && in_budget && in_flight_ == 0;
      if (!fits) return overlong_of(source, *cost, aged);
    }
    if (in_flight_ > 0) {
      // After a running batch of the same source, only a full batch starts, since a small batch
      // would be followed by more small ones. If other sources compete for the turn, a small batch
      // starts too.
      const bool may_grow = units < full && !source.input_ended && !source.complete;
      if (may_grow && source.in_flight > 0 && !is_contended_) return std::nullopt;
      if (left_ + predicted > state_.limits.reaction) return std::nullopt;
      if (is_probing()) return std::nullopt;
    }
    return BatchChoice{source.spec.id, units, predicted, part_of(predicted, cost->margin()),
                       aged ? Reason::kAged : headroom_.reason};
  }

 private:
  bool fits_gap(Duration unit, double stretch) const {
    return !headroom_.gap.has_value() || unit <= part_of(*headroom_.gap, 1 / stretch);
  }

  bool is_probing() const {
    return std::any_of(state_.in_flight.begin(), state_.in_flight.end(),
                       [](const RunningBatch& batch) { return batch.predicted == Duration(0); });
  }

  // Returns one unit of unknown cost. It runs alone, and early in a gap.
  std::optional<BatchChoice> probe_of(const Source& source, bool aged) const {
    if (in_flight_ > 0) return std::nullopt;
    const Duration declared = source.spec.declared_cost;
    const bool fits = declared > Duration(0) ? fits_gap(declared, 1) : is_early();
    if (!fits && (!aged || !keeps_deadlines(state_, declared, now_))) return std::nullopt;
    return BatchChoice{source.spec.id, 1, declared, declared, Reason::kProbe};
  }

  // Returns a unit that is longer than the headroom and makes no frame late. Such a unit runs
  // rarely, or if its source aged. An aged source also receives a probe if its cost is unreliable.
  // The unit runs early in a gap, where it delays frames least, or at any time after a long wait.
  std::optional<BatchChoice> overlong_of(const Source& source, const BatchCost& cost, bool aged) const {
    const bool seldom = headroom_.may_delay && now_ >= state_.overlong_from &&
                        waited(source, now_) >= state_.limits.overlong_after;
    if ((!aged && !seldom) || in_flight_ > 0) return std::nullopt;
    if (!is_early() && waited(source, now_) < part_of(state_.limits.aging, kLastResort)) return std::nullopt;
    const bool sure = cost.measured() >= kSureAfter;
    const Duration unit = part_of(cost.predict(1), 1 + cost.margin());
    const Duration reserve = aged ? Duration(0) : part_of(state_.period.current().length, kReserve);
    if ((sure || !aged) && !keeps_deadlines(state_, unit + reserve, now_)) return std::nullopt;
    const Reason reason = !aged ? Reason::kSeldom : sure ? Reason::kAged : Reason::kProbe;
    return BatchChoice{source.spec.id, 1, cost.predict(1), {}, reason, true};
  }

  bool is_early() const { return !headroom_.gap.has_value() || now_ - headroom_.gap_start <= *headroom_.gap; }

  const ScheduleState& state_;
  const Headroom& headroom_;
  const TimePoint now_;
  const int in_flight_;
  const bool is_contended_;             // several sources wait
  const Duration left_, left_at_most_;  // time until the work in flight has ended
};

// Selects a probe of another program, or reports that one is due later. No probe runs if no source
// could use its result.
ChoiceOrHold choose_probe(const ScheduleState& state, const Headroom& headroom, TimePoint now) {
  const Source* prober = nullptr;
  bool has_use = false;
  for (const auto& [id, source] : state.sources) {
    if (!is_background(source.spec.work_class) || source.stopping) continue;
    if (!source.spec.probes_only) {
      has_use = true;
    } else if (source.ready > 0) {
      prober = &source;
    }
  }
  if (prober == nullptr || !has_use || !headroom.watched) return {};
  ChoiceOrHold result;
  result.probes = true;
  if (!headroom.hold.has_value() && headroom.probe_now && background_in_flight(state) == 0)
    result.choice = Fit(state, headroom, false, now).batch_of(*prober);
  return result;
}

}  // namespace

Duration price_of(const Headroom& headroom, Duration predicted) {
  if (predicted <= headroom.longest) return predicted;
  return part_of(predicted,
                 double(predicted.count()) / double(std::max(headroom.longest, Duration(1)).count()));
}

Duration pause_after(const ScheduleState& state, const Headroom& headroom, Duration unit, TimePoint now) {
  const double left = 1 - std::min(predicted_load(state, now), kMostLoad);
  Duration longest{0};
  for (const auto& [id, source] : state.sources)
    if (reserves(source, now)) longest = std::max(longest, source.spec.period);
  const Duration met = headroom.gap.has_value() ? longest : Duration(0);
  return part_of(met + part_of(unit, 1 / left), 1 / state.limits.delayed_frames);
}

Headroom background_headroom(const ScheduleState& state, TimePoint now) {
  Headroom headroom;
  headroom.longest = state.limits.quantum;
  headroom.gap_start = state.gap_start;
  headroom.max_in_flight = state.limits.max_in_flight;
  for (const auto& [id, source] : state.sources) {
    if (!reserves(source, now)) continue;
    leave_to_stream(state, source, now, headroom);
    change_at(headroom, reserves_until(source));
    headroom.may_delay = true;
  }
  if (state.overlong_from > now) change_at(headroom, state.overlong_from);
  leave_to_lock(state, now, headroom);
  return headroom;
}

ChoiceOrHold choose_background(const ScheduleState& state, const Headroom& headroom, TimePoint now) {
  const Waits waits = what_waits(state, now);
  if (waits.sources == 0) return choose_probe(state, headroom, now);
  const bool may_pass = headroom.hold.has_value() && *headroom.hold == Reason::kArrivalNear && waits.aged;
  const bool streams_take_all = headroom.hold == Reason::kFrameInWork;
  if (headroom.hold.has_value() && !may_pass)
    return {{}, headroom.hold, streams_take_all ? waits.starves : std::nullopt};
  if (background_in_flight(state) >= headroom.max_in_flight) return {{}, Reason::kDeviceFilled, {}};
  if (headroom.budget.has_value() && *headroom.budget <= Duration(0) && !waits.aged)
    return {{}, Reason::kBudgetSpent, {}};
  const Fit fit(state, headroom, waits.sources > 1, now);
  ChoiceOrHold result;
  for (TurnOrder turns(state, now); !turns.empty(); turns.next()) {
    const Source& source = turns.first();
    result.choice = fit.batch_of(source);
    if (result.choice.has_value()) return result;
    result.hold = Reason::kTooLong;
    if (!result.starves.has_value() && begins_to_starve(state, source, now)) result.starves = source.spec.id;
  }
  if (headroom.hold.has_value()) result.hold = headroom.hold;
  if (background_in_flight(state) > 0) result.hold = Reason::kDeviceFilled;
  return result;
}

}  // namespace weft::schedule
