// SPDX-License-Identifier: Apache-2.0
// What follows from the lock: what may run, and how it is told.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "server/schedule/durations.h"
#include "server/schedule/phase_lock.h"

namespace weft::schedule {
namespace {

// All in seconds.
constexpr double kProbeLate = 100e-6;  // a probe for an end may start
constexpr double kShortFirst = 50e-6;  // of a gap

Duration duration(double time) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(time));
}
TimePoint point(double time) { return TimePoint(duration(time)); }

}  // namespace

const char* name_of(LockState state) {
  static constexpr const char* kNames[] = {"absent", "learning", "locked", "no_period"};
  return kNames[size_t(state)];
}

ForeignAdvice PhaseLock::advise(TimePoint time) const {
  ForeignAdvice advice;
  advice.from = time;
  if (!protects()) return advice;
  if (state_ != LockState::kLocked) {
    advice.longest = limits_.short_slice;
    advice.one_at_a_time = true;
    advice.watched = advice.look = state_ == LockState::kLearning;
    return advice;
  }
  advice.watched = true;
  const double now = seconds_of(time);
  double frame = frame_at(now);
  if (start_of(frame + 1) - before(frame + 1) - now < 1e-6)
    frame++;  // the very end of a gap is the next frame's
  const double at = start_of(frame), next = start_of(frame + 1) - before(frame + 1);
  const double opens = at + free_after(frame);
  if (now < opens && (watches_start(frame) || watches_end(frame))) {
    const bool starts = watches_start(frame);
    const double probe = starts ? std::max(now, last_end_ + kProbeDistance) : at + length_ - spread_ - step_;
    const bool second = !starts && second_probe_ == frame;
    if (probe < opens && (starts || second || now - probe < kProbeLate)) {
      advice.from = point(std::max(now, probe));
      advice.until = point(opens);
      advice.longest = limits_.short_slice;
      advice.one_at_a_time = advice.probe = advice.look = true;
      return advice;
    }
  }
  advice.gap_start = point(opens);
  advice.from = std::max(time, advice.gap_start);
  advice.until = point(next);
  // Short at first: if the frame is longer than it was believed to be, the next slice shows it.
  advice.longest = now < opens + kShortFirst ? limits_.short_slice : limits_.longest_slice;
  return advice;
}

Duration PhaseLock::period() const { return duration(state_ == LockState::kLocked ? period_ : 0); }
Duration PhaseLock::guard() const {
  return duration(state_ == LockState::kLocked ? before(gap_frame_ + 1) : 0);
}
Duration PhaseLock::busy() const {
  return duration(state_ == LockState::kLocked ? length_ + before(gap_frame_ + 1) : 0);
}

std::string PhaseLock::reason() const {
  if (state_ != LockState::kLocked) return why_;
  return fmt::format(
      "Another program's frames begin every {:.3f} ms, within {:.3f} ms of their time, and take {:.3f} ms.",
      period_ * 1e3, spread_ * 1e3, length_ * 1e3);
}

}  // namespace weft::schedule
