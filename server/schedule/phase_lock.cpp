// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/phase_lock.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "server/schedule/durations.h"

namespace weft::schedule {
namespace {

// Times are in seconds. A slice was delayed if it exceeded its prediction by more than kSlowAbout
// (twice the time of a context switch) plus kSlowPart of the prediction plus twice the overhead of
// undisturbed slices.
constexpr double kSlowAbout = 300e-6;
constexpr double kSlowPart = 0.1;
constexpr double kMostOverhead = 50e-6;    // limit for the overhead of an undisturbed slice
constexpr double kLastUtilisation = 2e-3;  // smallest utilisation that shows a program
// Duration of the active state after the last sign. The driver reports late and with pauses.
constexpr double kStaysActive = 3;
constexpr double kLearnsAtMost = 5;  // longest learning without a period
// Time after which learning ends if no burst has ended: the program is idle, or never pauses.
constexpr double kNothingSeen = 1;
constexpr double kOddOfNobody = 6;  // number of slow slices that shows a program

double more_than_predicted(const Observation& slice) {
  return seconds_of(slice.end - slice.start) - seconds_of(slice.predicted);
}

Duration duration(double time) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(time));
}

}  // namespace

const char* name_of(LockState state) {
  static constexpr const char* kNames[] = {"absent", "learning", "locked", "no_period"};
  return kNames[size_t(state)];
}

void PhaseLock::report_presence(const Presence& presence) {
  const double now = seconds_of(presence.time);
  present_ = presence.present;
  utilisation_ = presence.present ? presence.utilisation : 0;
  if (!present_) return leave("No other program has the device open.");
  if (utilisation_ >= kLastUtilisation) {
    active_until_ = now + kStaysActive;
    if (!active()) start_learning(now, "Another program came.");
  } else if (active() && now > active_until_) {
    leave("Another program has the device open and does nothing on it.");
  }
}

void PhaseLock::leave(std::string why) {
  state_ = LockState::kAbsent;
  why_ = std::move(why);
  odd_ = 0;
}

void PhaseLock::start_learning(double now, std::string why) {
  state_ = LockState::kLearning;
  why_ = std::move(why);
  bursts_.clear();
  learning_since_ = now;
  active_until_ = std::max(active_until_, now + kStaysActive);
}

bool PhaseLock::is_slow(const Observation& slice) const {
  return more_than_predicted(slice) > kSlowPart * seconds_of(slice.predicted) + 2 * overhead_ + kSlowAbout;
}

bool PhaseLock::observe(const Observation& observation) {
  if (limits_.mode == ExternalLoadMode::kShare) return false;
  const TimedSlice slice{seconds_of(observation.start), seconds_of(observation.end),
                         seconds_of(observation.predicted)};
  const bool slow = is_slow(observation);
  if (!slow) {
    overhead_ += 0.05 * (std::clamp(more_than_predicted(observation), 0.0, kMostOverhead) - overhead_);
  } else if (active()) {
    active_until_ = std::max(active_until_, slice.end + kStaysActive);
  }
  switch (state_) {
    case LockState::kAbsent:
      // The driver reports late; slices detect a program sooner.
      if (present_) odd_ = slow ? odd_ + 1 : std::max(0.0, odd_ - 1);
      if (odd_ >= kOddOfNobody) start_learning(slice.end, "Slices take longer than predicted.");
      break;
    case LockState::kLearning:
    case LockState::kNoPeriod:
      learn(slice, slow);
      break;
    case LockState::kLocked:
      if (!frames_.check(slice, slow, quiet_until_))
        start_learning(slice.end,
                       fmt::format("The lock on a period of {:.3f} ms was lost.", frames_.period() * 1e3));
      break;
  }
  last_end_ = slice.end;
  if (!slow) quiet_until_ = slice.end;
  return slow && present_;
}

void PhaseLock::learn(const TimedSlice& slice, bool slow) {
  if (bursts_.add(slice, slow, quiet_until_, overhead_) && bursts_.is_full() &&
      frames_.lock_onto(bursts_.bursts(), slice.start))
    state_ = LockState::kLocked;
  if (state_ != LockState::kLearning || slice.end - learning_since_ < kNothingSeen) return;
  const bool in_burst = bursts_.is_in_burst();
  if (bursts_.seen() == 0 && !in_burst && utilisation_ < kLastUtilisation) {
    leave("Another program has the device open and does nothing on it.");
  } else if (in_burst && slice.end - bursts_.burst_start() > kNothingSeen) {
    give_up("The other program's work never pauses.");
  } else if (slice.end - learning_since_ > kLearnsAtMost) {
    give_up(bursts_.seen() < limits_.learning_frames
                ? fmt::format("The other program was at work only {} times in {} s.", bursts_.seen(),
                              kLearnsAtMost)
                : fmt::format("The other program's {} frames follow no period.", bursts_.seen()));
  }
}

void PhaseLock::give_up(std::string why) {
  state_ = LockState::kNoPeriod;
  why_ = std::move(why);
}

ExternalLoadAdvice PhaseLock::advise(TimePoint time) const {
  if (protects() && state_ == LockState::kLocked) return frames_.advise(time, last_end_);
  ExternalLoadAdvice advice;
  advice.from = time;
  if (!protects()) return advice;
  advice.longest = limits_.short_slice;
  advice.one_at_a_time = true;
  advice.watched = advice.probe_now = state_ == LockState::kLearning;
  return advice;
}

Duration PhaseLock::period() const { return duration(state_ == LockState::kLocked ? frames_.period() : 0); }
Duration PhaseLock::guard() const { return duration(state_ == LockState::kLocked ? frames_.guard() : 0); }
Duration PhaseLock::busy() const { return duration(state_ == LockState::kLocked ? frames_.busy() : 0); }

std::string PhaseLock::reason() const {
  if (state_ != LockState::kLocked) return why_;
  return fmt::format(
      "Another program's frames begin every {:.3f} ms, within {:.3f} ms of their time, and take {:.3f} ms.",
      frames_.period() * 1e3, frames_.spread() * 1e3, frames_.length() * 1e3);
}

}  // namespace weft::schedule
