// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/stream_load.h"

#include <algorithm>
#include <vector>

namespace weft::schedule {
namespace {

// A device that is busy after this number of frames counts as full.
constexpr int kMostFrames = 1024;
// Largest share of the known cost that a clearly lower cost may be.
constexpr double kClearlyLess = 0.8;

// The future frames of a stream. Times are measured from now.
struct Coming {
  Duration next, period, cost, deadline;
};

Coming coming_of(const ScheduleState& state, const Source& stream, TimePoint now) {
  const SourceSpec& spec = stream.spec;
  const ArrivalClock::Expectation expected = stream.clock->expect(now);
  const bool known = expected.kind != ArrivalClock::Expectation::Kind::kUnknown;
  const auto learnt = state.costs.find(spec.cost_key);
  const double margin = learnt != state.costs.end() && learnt->second.known() ? learnt->second.margin() : 0;
  const Duration cost = predicted_cost(state, spec, spec.units_per_period);
  return {known ? std::max(expected.from - now, Duration(0)) : Duration(0), spec.period,
          cost + Duration(int64_t(double(cost.count()) * margin)), deadline_of(spec)};
}

double load_of(const ScheduleState& state, const SourceSpec& stream) {
  const Duration cost = predicted_cost(state, stream, stream.units_per_period);
  return double(cost.count()) / double(stream.period.count());
}

StreamLoad as_load(const ScheduleState& state, const SourceSpec& stream) {
  return {stream.period, predicted_cost(state, stream, stream.units_per_period), deadline_of(stream)};
}

AdmissionDecision admit_beside_others(const ScheduleState& state, const StreamLoad& candidate) {
  std::vector<StreamLoad> streams;
  for (const auto& [id, source] : state.sources)
    if (source.spec.work_class == SourceClass::kRealtime) streams.push_back(as_load(state, source.spec));
  return admit(streams, candidate, external_load(state), state.limits.admission_limit);
}

}  // namespace

Duration predicted_cost(const ScheduleState& state, const SourceSpec& spec, int units) {
  const auto found = state.costs.find(spec.cost_key);
  if (found != state.costs.end() && found->second.known()) return found->second.predict(units);
  return spec.declared_cost * units;
}

void take_measured_cost(ScheduleState& state, const std::string& measured, const std::string& key,
                        TimePoint now) {
  const auto node = state.costs.extract(measured);
  if (node.empty() || !node.mapped().known() || key.empty()) return;
  const auto has_key = [&](const auto& entry) { return entry.second.spec.cost_key == key; };
  BatchCost& learnt = state.costs[key];
  const bool is_less =
      double(node.mapped().predict(1).count()) < kClearlyLess * double(learnt.predict(1).count());
  const auto shown = state.shown.find(key);
  const bool is_shown = shown != state.shown.end() && now - shown->second < kShownFor;
  if (!learnt.known() || (is_less && !is_shown && std::ranges::none_of(state.sources, has_key)))
    learnt = node.mapped();
}

std::vector<Starving> starving(const ScheduleState& state, TimePoint now) {
  std::vector<Starving> result;
  for (const auto& [id, source] : state.sources)
    if (source.starves && source.waiting_since.has_value())
      result.push_back({source.spec.job, predicted_cost(state, source.spec, 1), now - *source.waiting_since});
  return result;
}

TimePoint reserves_until(const Source& stream) {
  return stream.heard + std::max<Duration>(kSilentPeriods * stream.spec.period, kLeastSilence);
}

bool reserves(const Source& stream, TimePoint now) {
  if (is_background(stream.spec.work_class)) return false;
  return stream.ready > 0 || stream.in_flight > 0 || now < reserves_until(stream);
}

double predicted_load(const ScheduleState& state, TimePoint now) {
  double load = external_load(state);
  for (const auto& [id, source] : state.sources)
    if (reserves(source, now)) load += load_of(state, source.spec);
  return load;
}

Reservation reservation_of(const ScheduleState& state, SourceId id, TimePoint now) {
  const auto found = state.sources.find(id);
  if (found == state.sources.end() || is_background(found->second.spec.work_class)) return {};
  const Source& stream = found->second;
  return {reserves(stream, now) ? load_of(state, stream.spec) : 0, now - stream.heard};
}

double external_load(const ScheduleState& state) { return std::clamp(state.lock.utilisation(), 0.0, 1.0); }

AdmissionDecision admission_of(const ScheduleState& state, const SourceSpec& spec) {
  return admit_beside_others(state, as_load(state, spec));
}

bool could_fit(const ScheduleState& state, const SourceSpec& spec) {
  StreamLoad least = as_load(state, spec);
  least.frame_cost = Duration(1);
  return admit_beside_others(state, least).admitted;
}

bool keeps_deadlines(const ScheduleState& state, Duration taken, TimePoint now) {
  std::vector<Coming> streams;
  for (const auto& [id, source] : state.sources)
    if (reserves(source, now)) streams.push_back(coming_of(state, source, now));
  if (streams.empty()) return true;
  Duration free_at = taken;
  for (int frame = 0; frame < kMostFrames; frame++) {
    const auto first = std::min_element(streams.begin(), streams.end(),
                                        [](const Coming& a, const Coming& b) { return a.next < b.next; });
    if (first->next >= free_at) return true;
    free_at += first->cost;
    if (free_at > first->next + first->deadline) return false;
    first->next += first->period;
  }
  return false;
}

}  // namespace weft::schedule
