// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/frame_lock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "server/schedule/durations.h"
#include "server/schedule/period_fit.h"

namespace weft::schedule {
namespace {

// Constants in seconds, where they have a unit.
constexpr double kLeastPeriod = 2e-3;  // shortest period: 500 frames per second
// Delay of a frame by a launch during the frame (H200: 0.45 ms).
constexpr double kLaunchInto = 500e-6;
// A slow slice that starts this early in a gap shows that the frame was longer than assumed.
constexpr double kGapsFirst = 300e-6;
constexpr double kMostBusy = 0.95;  // of a period; a longer busy time leaves no gap
// Step of the assumed end of a frame, to a later time, after a slice met the frame.
constexpr double kUp = 100e-6;
// Distance of a watch's probe before the assumed end. It doubles when the device is free.
constexpr double kDown = 60e-6;
constexpr double kMostDown = 240e-6;  // largest such step
constexpr double kMostOff = 0.1;      // of a period; starts that spread further end the lock
// Number of slow slices, minus undisturbed gaps, that ends the lock.
constexpr double kOdd = 6;
constexpr double kProbeDistance = 20e-6;  // distance between the probes that wait for a start
constexpr double kProbeLate = 100e-6;     // maximum delay of a probe of an end
constexpr double kShortFirst = 50e-6;     // slices are short for this time after the start of a gap

TimePoint point(double time) {
  return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(time)));
}

}  // namespace

bool FrameLock::lock_onto(const std::deque<Burst>& bursts, double now) {
  std::vector<double> times, ends;
  for (const Burst& burst : bursts) times.push_back(burst.start);
  const auto fit = fit_period(times, kLeastPeriod);
  if (!fit.has_value()) return false;
  for (size_t i = 0; i < times.size(); i++)
    if (fit->counts[i]) ends.push_back(bursts[i].end - fit->at(fit->turns[i]));
  std::sort(ends.begin(), ends.end());
  const double length = ends[ends.size() * 9 / 10];
  if (length <= 0 || length > kMostBusy * fit->period) return false;
  start_every_ = end_every_ = limits_.watch_every;
  line_.begin(*fit, times, start_every_);
  length_ = learnt_length_ = length;
  widened_ = 0;
  step_ = std::max(kMostDown, 0.05 * length);
  settling_ = true;
  next_start_ = fit->turns.back() + 2;
  next_end_ = next_start_ + 1;
  odd_ = 0;
  hit_frame_ = fit->turns.back();
  second_probe_ = -1;
  gap_frame_ = frame_at(now);
  gap_slow_ = true;
  return true;
}

double FrameLock::before(double frame) const {
  const double ahead = std::max(0.0, frame - line_.newest_frame());
  return std::min(0.25 * line_.period(),
                  seconds_of(limits_.guard) + 1.1 * line_.spread() + widened_ + ahead * line_.period_error());
}

double FrameLock::free_after(double frame) const {
  return std::min(length_ + (frame == hit_frame_ ? kLaunchInto : 0), line_.period());
}

double FrameLock::frame_at(double time) const {
  const double frame = line_.frame_begun_at(time);
  return time >= line_.start_of(frame + 1) - before(frame + 1) ? frame + 1 : frame;
}

bool FrameLock::check(const TimedSlice& slice, bool slow, double quiet_until) {
  const double frame = frame_at(slice.start), at = line_.start_of(frame);
  if (slice.start < at + free_after(frame) && (watches_start(frame) || watches_end(frame))) {
    see_watched(frame, slice.start, slow, quiet_until);
  } else {
    see_gap(frame, slice.start, slice.start + slice.predicted, slow);
  }
  return odd_ < kOdd && line_.spread() <= kMostOff * line_.period() &&
         length_ <= 1.5 * learnt_length_ + 5 * kUp && length_ + before(frame) <= kMostBusy * line_.period();
}

// Evaluates a probe of the start or end of a frame. `start` is the start of the probe.
void FrameLock::see_watched(double frame, double start, bool slow, double quiet_until) {
  if (slow) hit_frame_ = frame;
  if (watches_start(frame)) return see_watched_start(frame, start, slow, quiet_until);
  // A launch ends a long time slice of the other program. Only a second probe right after the first
  // one then meets the program's work.
  if (!slow && second_probe_ != frame) {
    second_probe_ = frame;
    first_probe_ = start;
    return;
  }
  if (!slow && start - first_probe_ < kSeenBefore) start = first_probe_;
  if (slow) {  // the device is not free at that time
    end_every_ = std::min(limits_.watch_every_at_most, 2 * end_every_);
    if (!settling_) step_ = kDown;
    if (settling_ && (step_ /= 2) < kDown) settled(frame);
  } else {
    length_ = std::max(0.0, std::min(length_, start - line_.start_of(frame) + line_.spread()));
    if (!settling_) step_ = std::min(kMostDown, 2 * step_);
    end_every_ = limits_.watch_every;
  }
  next_end_ = frame + (settling_ ? 2 : end_every_);
  next_start_ = std::max(next_start_, frame + 1);
}

void FrameLock::see_watched_start(double frame, double start, bool slow, double quiet_until) {
  if (slow && start - quiet_until < kSeenBefore) {
    see_start(frame, start);
  } else if (slow) {  // the frame had started before the probe
    next_start_ = frame + 1;
  } else if (start > line_.start_of(frame) + before(frame) + 2 * kProbeDistance) {
    // The frame has not started in the expected time.
    widened_ = std::min(0.1 * line_.period(), widened_ + kUp);
    odd_ += 1;
    schedule_check(frame, 0);
  }
}

void FrameLock::settled(double frame) {
  settling_ = false;
  step_ = kDown;
  next_end_ = frame + end_every_;
}

void FrameLock::see_start(double frame, double start) {
  const FrameLine::SeenStart seen = line_.add(frame, start, start_every_);
  const double off = std::abs(seen.off);
  if (seen.jumped) widened_ = std::max(widened_, 0.5 * off);
  schedule_check(frame, seen.jumped ? 0 : off <= 0.5 * seen.usual ? 2 : off <= seen.usual ? 1 : 0.5);
}

// Multiplies the number of frames between watched starts by `times`; 0 restores the initial number.
// The uncertainty of the period limits the number.
void FrameLock::schedule_check(double frame, double times) {
  if (times > 0) {
    widened_ *= 0.8;
    start_every_ =
        std::clamp(int(times * start_every_), limits_.watch_every,
                   std::clamp(int(line_.frames_known()), limits_.watch_every, limits_.watch_every_at_most));
  } else {
    start_every_ = limits_.watch_every;
  }
  next_start_ = frame + start_every_;
  next_end_ = std::max(next_end_, frame + 1);
}

// Evaluates a slice in the gap after a frame. Undisturbed, the slice lasts from `start` to `end`.
void FrameLock::see_gap(double frame, double start, double end, bool slow) {
  if (frame > gap_frame_) {
    if (gap_frame_ >= 0 && !gap_slow_) odd_ = std::max(0.0, odd_ - 1);
    gap_frame_ = frame;
    gap_slow_ = false;
  }
  if (!slow) return;
  gap_slow_ = true;
  odd_ += 1;
  const double next = line_.start_of(frame + 1) - before(frame + 1);
  if (start < line_.start_of(frame) + free_after(frame) + kGapsFirst + kSamePause) {
    // The frame before this gap was longer than assumed.
    length_ += kUp;
    step_ = kDown;
    if (settling_) settled(frame);
  } else if (end > next - 2 * seconds_of(limits_.longest_slice)) {  // the next frame was early
    widened_ = std::min(0.1 * line_.period(), widened_ + kUp);
    hit_frame_ = frame + 1;
    next_start_ = std::min(next_start_, frame + 2);
    start_every_ = limits_.watch_every;
  }
}

ExternalLoadAdvice FrameLock::advise(TimePoint time, double last_end) const {
  ExternalLoadAdvice advice;
  advice.watched = true;
  const double now = seconds_of(time);
  double frame = frame_at(now);
  if (line_.start_of(frame + 1) - before(frame + 1) - now < 1e-6)
    frame++;  // the end of a gap belongs to the next frame
  const double at = line_.start_of(frame), next = line_.start_of(frame + 1) - before(frame + 1);
  const double opens = at + free_after(frame);
  if (now < opens && (watches_start(frame) || watches_end(frame))) {
    const bool starts = watches_start(frame);
    const double trial =
        starts ? std::max(now, last_end + kProbeDistance) : at + length_ - line_.spread() - step_;
    const bool second = !starts && second_probe_ == frame;
    if (trial < opens && (starts || second || now - trial < kProbeLate)) {
      advice.from = point(std::max(now, trial));
      advice.until = point(opens);
      advice.longest = limits_.short_slice;
      advice.one_at_a_time = advice.trial = advice.probe_now = true;
      return advice;
    }
  }
  advice.gap_start = point(opens);
  advice.from = std::max(time, advice.gap_start);
  advice.until = point(next);
  // The first slice is short: if the frame is longer than assumed, the next slice detects it.
  advice.longest = now < opens + kShortFirst ? limits_.short_slice : limits_.longest_slice;
  return advice;
}

}  // namespace weft::schedule
