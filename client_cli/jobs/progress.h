// SPDX-License-Identifier: Apache-2.0
// Progress on standard error: a line that is drawn over on a terminal, plain lines at intervals elsewhere.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "client_cli/output/terminal.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// "[ 42.3%] 12345/29160 frames, 187.42 fps, eta 0:01:29"; parts that are not known are left out. `unit`: what it
// counts, for one.
std::string format_progress(const v1::JobProgress& progress, std::string_view unit);

// The progress of several jobs together, finished ones counted as done.
v1::JobProgress sum_progress(const std::map<std::string, v1::Job>& jobs);

// Draws; everything else that is printed on standard error meanwhile goes through it. Not synchronised.
class ProgressView {
 public:
  using Write = void (*)(std::string_view text);

  // `interval`: between plain lines.
  ProgressView(Terminal terminal, const Clock& clock, Duration interval, Write write);
  ~ProgressView();  // erases the bar

  // Draws the state of these jobs, not more often than eyes or the interval want, unless `force`.
  void show(const std::map<std::string, v1::Job>& jobs, bool force = false);
  // A line that stays, above the bar.
  void print(std::string_view line);
  // Takes the bar away until the next show().
  void erase();

 private:
  std::string line_for(const std::map<std::string, v1::Job>& jobs) const;

  Terminal terminal_;
  const Clock& clock_;
  Duration interval_;
  Write write_;
  TimePoint next_{};
  std::string drawn_;  // the bar on the screen
};

}  // namespace weft::cli
