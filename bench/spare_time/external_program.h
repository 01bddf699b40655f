// SPDX-License-Identifier: Apache-2.0
// Runs a program that is independent of Weft: a second process of the benchmark, with a separate
// device context. It computes a frame every period and measures the duration of its frames.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/video_format.h"
#include "server/schedule/phase_lock.h"

namespace weft::bench {

struct ExternalProgramSpec {
  std::string device;
  VideoFormat format;
  double period_ms = 16.683;
  double load = 0.42;      // fraction of the time that its frames take
  bool aperiodic = false;  // true if frames arrive at random, at the same rate
};

// The program's measurements of its frames, without the frames of the first second.
struct ExternalFrames {
  int64_t frames = 0, misses = 0;
  double p50_ms = 0, p99_ms = 0, max_ms = 0;
  double p99_all_ms = 0;  // including the first second
};

// The process. It ends with this object.
class ExternalProgram {
 public:
  static StatusOr<std::unique_ptr<ExternalProgram>> start(const ExternalProgramSpec& spec);
  ~ExternalProgram();

  double frame_ms() const { return frame_ms_; }  // device time of a frame that runs alone
  // Starts frames for `seconds`, and returns at once.
  Status go(double seconds);
  StatusOr<ExternalFrames> result();  // blocks until the run has ended

 private:
  ExternalProgram() = default;
  StatusOr<std::string> read_line();

  int to_ = -1, from_ = -1, pid_ = -1;
  double frame_ms_ = 0;
};

// Runs the second process: reads commands from standard input and writes answers to standard
// output. Returns the exit status.
int run_external_program(const ExternalProgramSpec& spec);

// Queries the device's driver for other processes, on a separate thread. If the device has no such
// query (a software device), it returns `otherwise` at the same rate.
class Presences {
 public:
  Presences(const std::string& device_id, schedule::Presence otherwise);
  ~Presences();
  std::optional<schedule::Presence> take();  // the newest report, if it was not taken yet
  bool is_from_driver() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::bench
