// SPDX-License-Identifier: Apache-2.0
// A program that knows nothing of Weft: a second process of the benchmark, with a device context of its own, that computes
// a frame every period and measures how long its frames take.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/video_format.h"
#include "server/schedule/phase_lock.h"

namespace weft::bench {

struct ForeignSpec {
  std::string device;
  VideoFormat format;
  double period_ms = 16.683;
  double load = 0.42;      // of its own time
  bool aperiodic = false;  // frames come at random, at the same rate
};

// What it measured of its frames, without those of the first second.
struct ForeignFrames {
  int64_t frames = 0, misses = 0;
  double p50_ms = 0, p99_ms = 0, max_ms = 0;
  double p99_all_ms = 0;  // with the first second
};

// The process; ends with its owner.
class ForeignProgram {
 public:
  static StatusOr<std::unique_ptr<ForeignProgram>> start(const ForeignSpec& spec);
  ~ForeignProgram();

  double frame_ms() const { return frame_ms_; }  // of the device's time, alone
  // Frames from now on, for so long; returns at once.
  Status go(double seconds);
  StatusOr<ForeignFrames> result();  // blocks until it has ended

 private:
  ForeignProgram() = default;
  StatusOr<std::string> read_line();

  int to_ = -1, from_ = -1, pid_ = -1;
  double frame_ms_ = 0;
};

// The other side of it: takes orders from standard input, answers on standard output. Returns what the process ends with.
int run_foreign_program(const ForeignSpec& spec);

// Asks the device's driver who else is there, on a thread of its own. Where nobody tells (a software device), it says what
// `otherwise` says, as often.
class Presences {
 public:
  Presences(const std::string& device_id, schedule::Presence otherwise);
  ~Presences();
  std::optional<schedule::Presence> take();  // the newest that was not taken
  bool told_by_driver() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::bench
