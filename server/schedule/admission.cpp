// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/admission.h"

#include <algorithm>

#include "server/schedule/durations.h"

namespace weft::schedule {
namespace {

double ms(Duration time) { return seconds_of(time) * 1e3; }
double load_of(const StreamLoad& s) { return seconds_of(s.frame_cost) / seconds_of(s.period); }
Duration deadline_of(const StreamLoad& s) { return s.deadline > Duration(0) ? s.deadline : s.period; }

}  // namespace

Status AdmissionRefusal::to_status() const {
  switch (kind) {
    case AdmissionRefusal::Kind::kBadPeriod:
      return invalid_argument("A stream's period is above zero; give the time between its frames.");
    case AdmissionRefusal::Kind::kCostUnknown:
      return failed_precondition(
          "What a frame of the stream costs on this device is not known; declare an estimate, or run one of "
          "its frames first.");
    case AdmissionRefusal::Kind::kDelay:
      return resource_exhausted(
          "The stream does not fit: one frame of each stream takes {:.2f} ms together, and the shortest "
          "deadline is {:.2f} ms; use smaller frames, or another device.",
          ms(delay), ms(deadline));
    case AdmissionRefusal::Kind::kLoad:
      break;
  }
  const std::string fits = fitting_period > Duration(0)
                               ? fmt::format("a period of at least {:.2f} ms fits", ms(fitting_period))
                               : std::string("no period fits");
  return resource_exhausted(
      "The stream does not fit: with it the device's predicted load is {:.0f}% (limit {:.0f}%, {:.0f}% are "
      "free); a frame takes {:.2f} ms, for which {}; or use another device.",
      load * 100, limit * 100, std::max(free, 0.0) * 100, ms(frame_cost), fits);
}

AdmissionDecision admit(std::span<const StreamLoad> streams, const StreamLoad& candidate,
                        double external_load, double limit) {
  AdmissionDecision result;
  AdmissionRefusal& r = result.refusal;
  double others = external_load;
  Duration delay{0}, deadline = deadline_of(candidate);
  for (const StreamLoad& s : streams) {
    others += load_of(s);
    delay += s.frame_cost;
    deadline = std::min(deadline, deadline_of(s));
  }
  r.limit = limit;
  r.free = limit - others;
  r.frame_cost = candidate.frame_cost;
  r.delay = delay + candidate.frame_cost;
  r.deadline = deadline;
  if (candidate.period <= Duration(0)) {
    r.kind = AdmissionRefusal::Kind::kBadPeriod;
    return result;
  }
  if (candidate.frame_cost <= Duration(0)) {
    r.kind = AdmissionRefusal::Kind::kCostUnknown;
    return result;
  }
  r.load = result.load = others + load_of(candidate);
  if (r.free > 0) r.fitting_period = Duration(int64_t(double(candidate.frame_cost.count()) / r.free));
  r.kind = r.load > limit ? AdmissionRefusal::Kind::kLoad : AdmissionRefusal::Kind::kDelay;
  result.admitted = r.load <= limit && r.delay <= deadline;
  return result;
}

}  // namespace weft::schedule
