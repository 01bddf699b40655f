// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/busy_time.h"

#include <algorithm>
#include <cstddef>

namespace weft::schedule {
namespace {

// Calls visit(batch, time) for each running batch, with its device time until `time` that has not
// been counted.
template <class Batches, class Visit>
void visit_running(Batches& in_flight, TimePoint time, Visit&& visit) {
  bool visited[2] = {false, false};
  for (auto& batch : in_flight) {
    bool& done = visited[is_background(batch.work_class) ? 1 : 0];
    if (done) continue;
    done = true;
    const Duration more = time - batch.runs_since - batch.counted;
    if (more > Duration(0)) visit(batch, more);
  }
}

}  // namespace

void count_busy(ScheduleState& state, TimePoint time) {
  visit_running(state.in_flight, time, [&](RunningBatch& batch, Duration more) {
    state.period.add_busy(batch.work_class, more);
    batch.counted += more;
  });
}

DeviceTotals totals_until(const ScheduleState& state, TimePoint now) {
  DeviceTotals totals = state.period.totals();
  for (size_t i = 0; i < size_t(kWorkClasses); i++) totals.busy[i] += state.period.current().busy[i];
  visit_running(state.in_flight, now, [&](const RunningBatch& batch, Duration more) {
    totals.busy[size_t(batch.work_class)] += more;
  });
  return totals;
}

}  // namespace weft::schedule
