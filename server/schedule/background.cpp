// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/background.h"

#include <algorithm>
#include <vector>

#include "server/schedule/durations.h"
#include "server/schedule/stream_load.h"

namespace weft::schedule {
namespace {

constexpr double kLastResort = 1.25;  // of the aging limit: then any time will do
constexpr double kReserve = 0.05;     // of the period: left of the time to a deadline, where no source aged
constexpr double kMostLoad = 0.98;    // of streams, for how long they take to catch up

void limit(std::optional<Duration>& value, Duration by) {
  value = value.has_value() ? std::min(*value, by) : by;
}

void change_at(Room& room, TimePoint time) {
  room.changes_at = room.changes_at.has_value() ? std::min(*room.changes_at, time) : time;
}

// A frame that may come soon does not hold back a source that waited for long.
void hold(Room& room, Reason reason) {
  if (!room.hold.has_value() || *room.hold == Reason::kArrivalNear) room.hold = reason;
}

void shorten(Room& room, Duration longest) {
  room.longest = std::min(room.longest, longest);
  room.max_in_flight = 1;
  room.reason = Reason::kShortSlice;
}

// A batch that a frame may meet: what is left of it delays the frame.
Duration slice_beside(const ScheduleState& state, const SourceSpec& stream) {
  const ScheduleLimits& limits = state.limits;
  const Duration frame = predicted_cost(state, stream, stream.units_per_period);
  return std::clamp(part_of(frame, limits.slice_of_frame), part_of(stream.period, limits.slice_at_least),
                    part_of(stream.period, limits.slice_at_most));
}

// From a frame's end, where nothing keeps it waiting, to its deadline.
Duration slack_of(const ScheduleState& state, const SourceSpec& stream) {
  return std::max(deadline_of(stream) - predicted_cost(state, stream, stream.units_per_period), Duration(0));
}

// What a stream leaves of the time from now on.
void leave_to_stream(const ScheduleState& state, const Source& stream, TimePoint now, Room& room) {
  using Kind = ArrivalClock::Expectation::Kind;
  if (room.reason == Reason::kQuantum) room.reason = Reason::kGap;
  if (stream.ready > 0 || stream.in_flight > 0) return hold(room, Reason::kFrameInWork);
  const ArrivalClock::Expectation next = stream.clock->expect(now);
  const Duration sure = next.from - state.limits.guard - now;
  // A loose clock's gap that is hardly longer than a slice is as good as over.
  const Duration too_short = slice_beside(state, stream.spec) + state.limits.guard;
  const bool ends_loosely = next.kind == Kind::kAt && next.loose && sure <= too_short;
  if (next.kind == Kind::kUnknown || next.missing || ends_loosely) {
    const Duration unit = part_of(stream.spec.period, state.limits.unit_at_most);
    shorten(room, next.silent ? unit : slice_beside(state, stream.spec));
    room.longest_unit = std::min(room.longest_unit, unit);
    limit(room.budget, state.period.budget());
    change_at(room, state.period.period_end());
  }
  if (next.kind == Kind::kUnknown || ends_loosely) return;
  change_at(room, next.loose ? now + sure - too_short : next.until + Duration(1));
  if (next.loose) {  // a frame that comes before it may all the same keeps its deadline
    room.longest = std::min(room.longest, slack_of(state, stream.spec) / 2);
    room.max_in_flight = 1;
  }
  const Duration left = next.kind == Kind::kDue ? Duration(0) : sure;
  limit(room.gap, left);
  if (left <= Duration(0)) hold(room, Reason::kArrivalNear);
}

void leave_to_lock(const ScheduleState& state, TimePoint now, Room& room) {
  const ForeignAdvice advice = state.lock.advise(now);
  if (advice.is_free()) return;
  room.may_delay = false;  // how much of it another program bears is not known
  room.watched = advice.watched;
  room.look = advice.look;
  if (room.reason == Reason::kQuantum) room.reason = Reason::kGap;
  if (advice.from > now) {
    if (advice.from != TimePoint::max()) change_at(room, advice.from);
    return hold(room, Reason::kForeignWork);
  }
  room.longest = std::min(room.longest, advice.longest);
  if (advice.one_at_a_time) shorten(room, advice.longest);
  room.one_unit = advice.probe;
  if (advice.until == TimePoint::max()) return;
  change_at(room, advice.until);
  limit(room.gap, advice.until - now);
  room.gap_start = std::max(room.gap_start, advice.gap_start);
}

// What is in flight of the background will have ended then, by prediction; a batch that overran is about to end.
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

// Has units that are to run for their own sake.
bool waits_for_turn(const Source& source) {
  return is_background(source.spec.work_class) && !source.spec.looks_only && source.ready > 0 &&
         !source.stopping;
}

// A source that waits, with what decides about its turn.
struct Waiting {
  const Source* source;
  bool aged;
  FairShare::Tags tags;

  // By the rules in device_schedule.h.
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

// Those that wait, one after another in the order of their turns: mostly the first one gets it.
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

// What waits, whether any of it for too long, and what waits for twice that and was not said to.
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

// Units that the memory which is free holds, beside what is in flight.
int units_in_memory(const ScheduleState& state, const Source& source) {
  if (!state.free_bytes.has_value() || source.spec.device_bytes_per_unit == 0) return source.max_units;
  size_t taken = 0;
  for (const RunningBatch& batch : state.in_flight) {
    const auto owner = state.sources.find(batch.source);
    if (owner != state.sources.end()) taken += size_t(batch.units) * owner->second.spec.device_bytes_per_unit;
  }
  const size_t left = *state.free_bytes > taken ? *state.free_bytes - taken : 0;
  return int(std::min<size_t>(size_t(source.max_units), left / source.spec.device_bytes_per_unit));
}

// Tries to find a batch of one source.
class Fit {
 public:
  Fit(const ScheduleState& state, const Room& room, bool is_contended, TimePoint now)
      : state_(state),
        room_(room),
        now_(now),
        in_flight_(background_in_flight(state)),
        is_contended_(is_contended),
        left_(time_left(state, false, now)),
        left_at_most_(time_left(state, true, now)) {}

  std::optional<BatchChoice> batch_of(const Source& source) {
    why_not = Reason::kTooLong;
    const int memory = units_in_memory(state_, source);
    if (memory < 1) {
      why_not = Reason::kMemoryShort;
      return std::nullopt;
    }
    const auto found = state_.costs.find(source.spec.cost_key);
    const BatchCost* cost = found == state_.costs.end() || !found->second.known() ? nullptr : &found->second;
    const bool aged = is_aged(state_, source, now_);
    if (cost == nullptr) return probe_of(source, aged);
    const double stretch = room_.is_protecting() ? 1 + cost->margin() : 1;
    Duration within = room_.longest;
    if (room_.budget.has_value()) within = std::min(within, *room_.budget);
    if (room_.gap.has_value()) within = std::min(within, part_of(*room_.gap - left_at_most_, 1 / stretch));
    const int full = cost->largest_within(within, room_.one_unit ? 1 : memory);
    const int units = std::min(source.ready, full);
    const Duration predicted = cost->predict(units);
    if (room_.is_protecting() && units == 1 && predicted > within) {
      const bool in_budget = !room_.budget.has_value() || predicted <= *room_.budget;
      const bool fits =
          predicted <= room_.longest_unit && fits_gap(predicted, stretch) && in_budget && in_flight_ == 0;
      if (!fits) return overlong_of(source, *cost, aged);
    }
    if (in_flight_ > 0) {
      // Beside a running batch of its own only a full one, unless others would take its turn: a small one would be followed by
      // more small ones.
      const bool may_grow = units < full && !source.input_ended && !source.complete;
      if (may_grow && source.in_flight > 0 && !is_contended_) return std::nullopt;
      if (left_ + predicted > state_.limits.reaction) return std::nullopt;
      if (is_probing()) return std::nullopt;
    }
    return BatchChoice{source.spec.id, units, predicted, part_of(predicted, cost->margin()),
                       aged ? Reason::kAged : room_.reason};
  }

  Reason why_not = Reason::kTooLong;

 private:
  bool fits_gap(Duration unit, double stretch) const {
    return !room_.gap.has_value() || unit <= part_of(*room_.gap, 1 / stretch);
  }

  bool is_probing() const {
    return std::any_of(state_.in_flight.begin(), state_.in_flight.end(),
                       [](const RunningBatch& batch) { return batch.predicted == Duration(0); });
  }

  // One unit of unknown cost: alone, and early in a gap.
  std::optional<BatchChoice> probe_of(const Source& source, bool aged) const {
    if (in_flight_ > 0) return std::nullopt;
    const Duration declared = source.spec.declared_cost;
    const bool fits = declared > Duration(0) ? fits_gap(declared, 1) : is_early();
    if (!fits && (!aged || !keeps_deadlines(state_, declared, now_))) return std::nullopt;
    return BatchChoice{source.spec.id, 1, declared, declared, Reason::kProbe};
  }

  // A unit that is longer than the room, where it makes no frame late: seldom, or since its source aged, which gets a probe
  // as well where the cost is not sure. Early in a gap, where it does the least harm, or wherever it can be if it waited for
  // long.
  std::optional<BatchChoice> overlong_of(const Source& source, const BatchCost& cost, bool aged) const {
    const bool seldom = room_.may_delay && now_ >= state_.overlong_from &&
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

  bool is_early() const { return !room_.gap.has_value() || now_ - room_.gap_start <= *room_.gap; }

  const ScheduleState& state_;
  const Room& room_;
  const TimePoint now_;
  const int in_flight_;
  const bool is_contended_;             // by more sources than one
  const Duration left_, left_at_most_;  // until what is in flight has ended
};

// A look at another program, or the time when it is due, while there are sources that would use what it finds.
ChoiceOrHold look(const ScheduleState& state, const Room& room, TimePoint now) {
  const Source* looker = nullptr;
  bool has_use = false;
  for (const auto& [id, source] : state.sources) {
    if (!is_background(source.spec.work_class) || source.stopping) continue;
    if (!source.spec.looks_only) {
      has_use = true;
    } else if (source.ready > 0) {
      looker = &source;
    }
  }
  if (looker == nullptr || !has_use || !room.watched) return {};
  ChoiceOrHold result;
  result.looks = true;
  if (!room.hold.has_value() && room.look && background_in_flight(state) == 0)
    result.choice = Fit(state, room, false, now).batch_of(*looker);
  return result;
}

}  // namespace

Duration price_of(const Room& room, Duration predicted) {
  if (predicted <= room.longest) return predicted;
  return part_of(predicted, double(predicted.count()) / double(std::max(room.longest, Duration(1)).count()));
}

Duration pause_after(const ScheduleState& state, const Room& room, Duration unit, TimePoint now) {
  const double left = 1 - std::min(predicted_load(state, now), kMostLoad);
  Duration longest{0};
  for (const auto& [id, source] : state.sources)
    if (reserves(source, now)) longest = std::max(longest, source.spec.period);
  const Duration met = room.gap.has_value() ? longest : Duration(0);
  return part_of(met + part_of(unit, 1 / left), 1 / state.limits.delayed_frames);
}

Room background_room(const ScheduleState& state, TimePoint now) {
  Room room;
  room.longest = state.limits.quantum;
  room.gap_start = state.gap_start;
  room.max_in_flight = state.limits.max_in_flight;
  for (const auto& [id, source] : state.sources) {
    if (!reserves(source, now)) continue;
    leave_to_stream(state, source, now, room);
    change_at(room, reserves_until(source));
    room.may_delay = true;
  }
  if (state.overlong_from > now) change_at(room, state.overlong_from);
  leave_to_lock(state, now, room);
  return room;
}

ChoiceOrHold choose_background(const ScheduleState& state, const Room& room, TimePoint now) {
  const Waits waits = what_waits(state, now);
  if (waits.sources == 0) return look(state, room, now);
  const bool may_pass = room.hold.has_value() && *room.hold == Reason::kArrivalNear && waits.aged;
  const bool streams_take_all = room.hold == Reason::kFrameInWork;
  if (room.hold.has_value() && !may_pass)
    return {{}, room.hold, streams_take_all ? waits.starves : std::nullopt};
  if (background_in_flight(state) >= room.max_in_flight) return {{}, Reason::kDeviceFilled, {}};
  if (room.budget.has_value() && *room.budget <= Duration(0) && !waits.aged)
    return {{}, Reason::kBudgetSpent, {}};
  Fit fit(state, room, waits.sources > 1, now);
  ChoiceOrHold result;
  for (TurnOrder turns(state, now); !turns.empty(); turns.next()) {
    const Source& source = turns.first();
    result.choice = fit.batch_of(source);
    if (result.choice.has_value()) return result;
    if (!result.hold.has_value()) result.hold = fit.why_not;
    const bool starves = fit.why_not == Reason::kTooLong && begins_to_starve(state, source, now);
    if (starves && !result.starves.has_value()) result.starves = source.spec.id;
  }
  if (room.hold.has_value()) result.hold = room.hold;
  if (background_in_flight(state) > 0) result.hold = Reason::kDeviceFilled;
  return result;
}

}  // namespace weft::schedule
