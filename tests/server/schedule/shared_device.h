// SPDX-License-Identifier: Apache-2.0
// A simulated device for tests that programs of different contexts use in turns, with the costs
// measured on an H200. A launch of Weft into a frame delays the frame by 0.45 ms, or by the length
// of Weft's slice if that is longer. The launch itself waits until the frame's turn has lasted 2
// ms. A switch to Weft's context takes 0.15 ms. Use of the gap before a frame costs the frame 0.15
// ms. A launch takes 0.015 ms.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace weft::schedule {

inline Duration of(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}
inline TimePoint at(double seconds) { return TimePoint(of(seconds)); }
inline double in_seconds(TimePoint time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}
inline double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

// A frame of another program, submitted at `arrival`. Alone on the device it would take `length`.
struct Frame {
  double arrival, length;
  int program = 0;
  double finish = 0;
  double latency() const { return finish - arrival; }
};

inline constexpr double kLaunchIntoFrame = 450e-6, kGapUsed = 150e-6, kTurn = 2e-3, kLaunch = 15e-6;
inline constexpr double kSwitchIn = 150e-6;  // switch to Weft's context after another one ran

// The frames are in order of arrival and run one after another. Weft's slices are launched one at a
// time.
class SharedDevice {
 public:
  explicit SharedDevice(std::vector<Frame> frames) : frames_(std::move(frames)) {}

  // Runs a slice of Weft and returns its end.
  double launch(double start, double length) {
    arrive(start);
    double end = start + kLaunch + length;
    if (start >= busy_until_ && theirs_last_) end += kSwitchIn;
    theirs_last_ = false;
    if (start < busy_until_) {
      end += share(start, length);
    } else if (next_ < frames_.size() && frames_[next_].arrival < end) {
      used_ = true;
      const double arrival = frames_[next_].arrival;
      arrive(arrival);
      end += share(arrival, end - arrival);
    } else {
      used_ = true;
    }
    turn_since_ = std::max(turn_since_, end);
    return end;
  }
  void arrive(double now) {
    for (; next_ < frames_.size() && frames_[next_].arrival <= now; next_++) {
      Frame& frame = frames_[next_];
      frame.finish =
          std::max(frame.arrival, busy_until_) + frame.length + (std::exchange(used_, false) ? kGapUsed : 0);
      turn_since_ = std::max(turn_since_, frame.finish - frame.length);
      busy_until_ = frame.finish;
      theirs_last_ = true;
    }
  }
  const std::vector<Frame>& frames() const { return frames_; }

 private:
  // Runs the newest frame and the rest of Weft's slice in turns. Returns the delay of the slice.
  double share(double now, double ours) {
    Frame& frame = frames_[next_ - 1];
    const double theirs = busy_until_ - now;
    const double cost = std::max(kLaunchIntoFrame, std::min(ours, theirs));
    frame.finish += cost;
    busy_until_ = frame.finish;
    // The frame's turn ends 2 ms after the slice of Weft, or at once if the frame has had the
    // device for longer.
    const double turn = std::max(0.0, kTurn - (now - turn_since_));
    theirs_last_ = turn < theirs;
    return kSwitchIn + std::min(theirs + cost, std::max(turn, ours > kTurn ? ours : 0));
  }

  std::vector<Frame> frames_;
  size_t next_ = 0;
  double busy_until_ = -1;
  bool used_ = false;
  bool theirs_last_ = false;  // true if the other program used the device last
  double turn_since_ = -1;    // begin of the frame's turn
};

// Another program, with frames from `from` until `to`.
struct Program {
  double from = 0, to = 0;
  double length = 7.05e-3;
  std::function<double(double now)> period = [](double) { return 16.683e-3; };
  double jitter = 0;  // largest deviation of an arrival, earlier or later
  bool aperiodic = false;
};

inline std::vector<Frame> frames_of(const std::vector<Program>& programs, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Frame> frames;
  for (size_t i = 0; i < programs.size(); i++) {
    const Program& p = programs[i];
    std::uniform_real_distribution<double> jitter(-p.jitter, p.jitter), length(0.98, 1.02);
    std::exponential_distribution<double> gap(1.0);
    double last = 0;
    for (double t = p.from; t < p.to;) {
      last = std::max(last, t + (p.jitter > 0 ? jitter(random) : 0));
      frames.push_back({last, p.length * length(random), int(i)});
      t += p.period(t) * (p.aperiodic ? gap(random) : 1);
    }
  }
  std::sort(frames.begin(), frames.end(),
            [](const Frame& a, const Frame& b) { return a.arrival < b.arrival; });
  return frames;
}

}  // namespace weft::schedule
