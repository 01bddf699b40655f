// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/phase_lock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "server/schedule/durations.h"
#include "server/schedule/period_fit.h"

namespace weft::schedule {
namespace {

// All in seconds.
constexpr double kLeastPeriod = 2e-3;  // 500 frames a second
constexpr double kSlowAbout = 300e-6;  // twice what it takes to switch to our context; a slice that takes so
                                       // much longer than predicted, and ...
constexpr double kSlowPart = 0.1;      // ... this part of its prediction, was slowed
constexpr double kMostOverhead = 50e-6;  // of a slice alone
constexpr double kLaunchInto =
    500e-6;  // what a launch of ours delays the frame that it meets by (H200: 0.45 ms)
constexpr double kGapsFirst =
    300e-6;  // until then a gap's slices are short: they show a frame that is longer
constexpr double kSamePause = 300e-6;      // a pause this short is within a frame
constexpr double kSeenBefore = 500e-6;     // a slice that ended this long before a burst saw its start
constexpr double kLastUtilisation = 2e-3;  // less is nobody
constexpr double kStaysActive = 3;         // after the last sign: the driver's figures come late and pause
constexpr double kLearnsAtMost = 5;        // without a period
constexpr double kNothingSeen = 1;         // learning without one slow slice
constexpr double kMostBusy = 0.95;  // of a period: less gap is none
constexpr double kUp = 100e-6;      // the end of a frame moves by so much when a slice met it ...
constexpr double kDown = 60e-6;     // ... and back when a watch finds the device free, then twice as far ...
constexpr double kMostDown = 240e-6;   // ... at most
constexpr double kLeastNoise = 20e-6;  // of starts as they are seen
constexpr double kOffLine = 40e-6;     // starts so far off, on one side, are a line that bends
constexpr double kMostOff = 0.1;       // of a period: starts further off are no lock
constexpr double kOdd = 6;             // slow slices
constexpr size_t kStartsKept = 16;
constexpr double kHalfAge = 4;  // a start so many watches ago counts half

}  // namespace

void PhaseLock::tell(const Presence& presence) {
  const double now = seconds_of(presence.time);
  present_ = presence.present;
  utilisation_ = presence.present ? presence.utilisation : 0;
  if (!present_) {
    state_ = LockState::kAbsent;
    why_ = "No other program has the device open.";
    odd_ = 0;
    return;
  }
  if (utilisation_ >= kLastUtilisation) {
    active_until_ = now + kStaysActive;
    if (!active()) start_learning(now, "Another program came.");
  } else if (active() && now > active_until_) {
    state_ = LockState::kAbsent;
    why_ = "Another program has the device open and does nothing on it.";
    odd_ = 0;
  }
}

void PhaseLock::start_learning(double now, std::string why) {
  state_ = LockState::kLearning;
  why_ = std::move(why);
  bursts_.clear();
  starts_.clear();
  in_burst_ = false;
  tried_ = 0;
  odd_ = 0;
  learning_since_ = now;
  active_until_ = std::max(active_until_, now + kStaysActive);
}

bool PhaseLock::is_slow(const Observation& slice) const {
  const double more = seconds_of(slice.end - slice.start) - seconds_of(slice.predicted);
  return more > kSlowPart * seconds_of(slice.predicted) + 2 * overhead_ + kSlowAbout;
}

bool PhaseLock::observe(const Observation& slice) {
  if (limits_.mode == ForeignMode::kShare) return false;
  const bool slow = is_slow(slice);
  const double end = seconds_of(slice.end);
  if (!slow) {
    const double more = seconds_of(slice.end - slice.start) - seconds_of(slice.predicted);
    overhead_ += 0.05 * (std::clamp(more, 0.0, kMostOverhead) - overhead_);
  } else if (active()) {
    active_until_ = std::max(active_until_, end + kStaysActive);
  }
  switch (state_) {
    case LockState::kAbsent:
      // The driver's figures come late; our own slices notice sooner.
      if (present_) odd_ = slow ? odd_ + 1 : std::max(0.0, odd_ - 1);
      if (odd_ >= kOdd) start_learning(end, "Slices take longer than predicted.");
      break;
    case LockState::kLearning:
    case LockState::kNoPeriod:
      learn(slice, slow);
      break;
    case LockState::kLocked:
      check(slice, slow);
      break;
  }
  last_end_ = end;
  if (!slow) quiet_until_ = end;
  return slow && present_;
}

void PhaseLock::learn(const Observation& slice, bool slow) {
  const double start = seconds_of(slice.start), end = seconds_of(slice.end);
  if (slow) {
    if (!in_burst_ && !bursts_.empty() && start - bursts_.back().end < kSamePause) {
      burst_ = bursts_.back();
      bursts_.pop_back();
    } else if (!in_burst_) {
      burst_ = {start, end, start - quiet_until_ < kSeenBefore};
    }
    in_burst_ = true;
    burst_.end = std::max(start, end - seconds_of(slice.predicted) - overhead_);
  } else if (in_burst_ && start - burst_.end >= kSamePause) {
    end_burst(start);
  }
  if (state_ != LockState::kLearning || end - learning_since_ < kNothingSeen) return;
  if (tried_ == 0 && !in_burst_ && utilisation_ < kLastUtilisation) {
    state_ = LockState::kAbsent;
    why_ = "Another program has the device open and does nothing on it.";
  } else if (in_burst_ && end - burst_.start > kNothingSeen) {
    give_up("The other program's work never pauses.");
  } else if (end - learning_since_ > kLearnsAtMost) {
    give_up(tried_ < limits_.learning_frames
                ? fmt::format("The other program was at work only {} times in {} s.", tried_, kLearnsAtMost)
                : fmt::format("The other program's {} frames follow no period.", tried_));
  }
}

void PhaseLock::give_up(std::string why) {
  state_ = LockState::kNoPeriod;
  why_ = std::move(why);
}

void PhaseLock::end_burst(double now) {
  in_burst_ = false;
  // A burst that lasted for seconds, or whose start nobody saw, says nothing of frames.
  if (!burst_.start_known) return;
  bursts_.push_back(burst_);
  tried_++;
  while (bursts_.size() > size_t(limits_.learning_frames)) bursts_.pop_front();
  if (int(bursts_.size()) < limits_.learning_frames || !try_lock()) return;
  state_ = LockState::kLocked;
  gap_frame_ = frame_at(now);
  gap_slow_ = true;
}

bool PhaseLock::try_lock() {
  std::vector<double> times, ends;
  for (const Burst& burst : bursts_) times.push_back(burst.start);
  const auto fit = fit_period(times, kLeastPeriod);
  if (!fit.has_value()) return false;
  starts_.clear();
  start_every_ = end_every_ = limits_.watch_every;
  for (size_t i = 0; i < times.size(); i++) {
    if (!fit->counts[i]) continue;
    starts_.push_back({fit->turns[i], times[i]});
    ends.push_back(bursts_[i].end - fit->at(fit->turns[i]));
  }
  std::sort(ends.begin(), ends.end());
  const double length = ends[ends.size() * 9 / 10];
  if (length <= 0 || length > kMostBusy * fit->period) return false;
  phase_ = fit->phase;
  period_ = fit->period;
  noise_ = fit->noise;
  refit();
  length_ = length;
  widened_ = 0;
  learnt_length_ = length;
  step_ = std::max(kMostDown, 0.05 * length);
  settling_ = true;
  next_start_ = fit->turns.back() + 2;
  next_end_ = next_start_ + 1;
  one_sided_ = 0;
  odd_ = 0;
  hit_frame_ = fit->turns.back();
  second_probe_ = -1;
  return true;
}

// --- Locked -----------------------------------------------------------------------------------------------------

double PhaseLock::before(double frame) const {
  const double ahead = std::max(0.0, frame - starts_.back().frame);
  return std::min(0.25 * period_,
                  seconds_of(limits_.guard) + 1.1 * spread_ + widened_ + ahead * period_error_);
}
double PhaseLock::free_after(double frame) const {
  return std::min(length_ + (frame == hit_frame_ ? kLaunchInto : 0), period_);
}

double PhaseLock::frame_at(double time) const {
  const double frame = std::floor((time - phase_) / period_);
  return time >= start_of(frame + 1) - before(frame + 1) ? frame + 1 : frame;
}

void PhaseLock::check(const Observation& slice, bool slow) {
  const double start = seconds_of(slice.start), end = seconds_of(slice.end);
  const double frame = frame_at(start), at = start_of(frame);
  if (start < at + free_after(frame) && (watches_start(frame) || watches_end(frame))) {
    see_watched(frame, start, slow);
  } else {
    see_gap(frame, start, start + seconds_of(slice.predicted), slow);
  }
  if (state_ != LockState::kLocked) return;
  if (odd_ >= kOdd || spread_ > kMostOff * period_ || length_ > 1.5 * learnt_length_ + 5 * kUp ||
      length_ + before(frame) > kMostBusy * period_)
    start_learning(end, fmt::format("The lock on a period of {:.3f} ms was lost.", period_ * 1e3));
}

// A probe at `start`, of a frame whose start or end is watched.
void PhaseLock::see_watched(double frame, double start, bool slow) {
  const double at = start_of(frame);
  if (slow) hit_frame_ = frame;
  if (watches_start(frame)) {
    if (slow && start - quiet_until_ < kSeenBefore) {
      see_start(frame, start);
    } else if (slow) {  // it had begun before we looked
      next_start_ = frame + 1;
    } else if (start > at + before(frame) + 2 * kProbeDistance) {  // it did not come
      widened_ = std::min(0.1 * period_, widened_ + kUp);
      odd_ += 1;
      look_again(frame, 0);
    }
    return;
  }
  // A turn of the other program that has lasted for long ends as soon as we come: only a second probe, right after,
  // finds it at work.
  if (!slow && second_probe_ != frame) {
    second_probe_ = frame;
    first_probe_ = start;
    return;
  }
  if (!slow && start - first_probe_ < kSeenBefore) start = first_probe_;
  if (slow) {  // the device is not free so early
    end_every_ = std::min(limits_.watch_every_at_most, 2 * end_every_);
    if (!settling_) step_ = kDown;
    if (settling_ && (step_ /= 2) < kDown) settled(frame);
  } else {
    length_ = std::max(0.0, std::min(length_, start - at + spread_));
    if (!settling_) step_ = std::min(kMostDown, 2 * step_);
    end_every_ = limits_.watch_every;
  }
  next_end_ = frame + (settling_ ? 2 : end_every_);
  next_start_ = std::max(next_start_, frame + 1);
}

void PhaseLock::settled(double frame) {
  settling_ = false;
  step_ = kDown;
  next_end_ = frame + end_every_;
}

void PhaseLock::see_start(double frame, double start) {
  const double off = start - start_of(frame);
  const double usual = std::max(kOffLine, 2 * noise_);
  const int side = off > usual ? 1 : off < -usual ? -1 : 0;
  one_sided_ = side == 0 ? 0 : one_sided_ * side > 0 ? one_sided_ + side : side;
  starts_.push_back({frame, start});
  while (starts_.size() > kStartsKept) starts_.pop_front();
  const bool jumped = std::abs(off) > 2 * std::max(spread_, usual);
  const bool bends = std::abs(one_sided_) >= 3;
  if (jumped) widened_ = std::max(widened_, 0.5 * std::abs(off));
  if (jumped || bends) {  // what lies long back would hold the line where it was
    while (starts_.size() > 5) starts_.pop_front();
    one_sided_ = 0;
  }
  refit();
  if (bends) phase_ += 0.5 * (start - start_of(frame));
  look_again(frame, jumped ? 0 : std::abs(off) <= 0.5 * usual ? 2 : std::abs(off) <= usual ? 1 : 0.5);
}

// Watches starts so many times as far apart as before; 0: as often as at first. No further than the period is known.
void PhaseLock::look_again(double frame, double times) {
  if (times > 0) {
    widened_ *= 0.8;
    const int known = int(std::min(1e6, std::max(kOffLine, noise_) / std::max(period_error_, 1e-12)));
    start_every_ = std::clamp(int(times * start_every_), limits_.watch_every,
                              std::clamp(known, limits_.watch_every, limits_.watch_every_at_most));
  } else {
    start_every_ = limits_.watch_every;
  }
  next_start_ = frame + start_every_;
  next_end_ = std::max(next_end_, frame + 1);
}

void PhaseLock::refit() {
  std::vector<WeightedTime> points;
  for (const Start& start : starts_) {
    const double age = (starts_.back().frame - start.frame) / start_every_;
    points.push_back({start.frame, start.time, std::exp2(-age / kHalfAge)});
  }
  const std::optional<FittedLine> line = fit_line(points);
  if (!line.has_value()) return;
  // The slope's standard deviation; 1.5 times a median is a deviation.
  period_error_ = 1.5 * std::max(noise_, kLeastNoise) / std::sqrt(line->turns_spread);
  if (std::abs(line->period - period_) > 0.02 * period_) return;  // starts close together tell nothing of it
  phase_ = line->phase;
  period_ = line->period;
  spread_ = 1.8 * noise_;
  for (const WeightedTime& p : points)
    if (p.weight > 0.1) spread_ = std::max(spread_, std::abs(p.time - start_of(p.turn)));
  spread_ = std::min(spread_, 0.15 * period_);
}

// A slice in a frame's gap, from `start` to `end` if nothing had been in its way.
void PhaseLock::see_gap(double frame, double start, double end, bool slow) {
  if (frame > gap_frame_) {
    if (gap_frame_ >= 0 && !gap_slow_) odd_ = std::max(0.0, odd_ - 1);
    gap_frame_ = frame;
    gap_slow_ = false;
  }
  if (!slow) return;
  gap_slow_ = true;
  odd_ += 1;
  if (start < start_of(frame) + free_after(frame) + kGapsFirst + kSamePause) {  // the frame before was longer
    length_ += kUp;
    step_ = kDown;
    if (settling_) settled(frame);
  } else if (end > start_of(frame + 1) - before(frame + 1) -
                       2 * seconds_of(limits_.longest_slice)) {  // the next came early
    widened_ = std::min(0.1 * period_, widened_ + kUp);
    hit_frame_ = frame + 1;
    next_start_ = std::min(next_start_, frame + 2);
    start_every_ = limits_.watch_every;
  }
}

}  // namespace weft::schedule
