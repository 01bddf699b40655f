// SPDX-License-Identifier: Apache-2.0
// Shows progress on standard error: on a terminal one line that is redrawn, otherwise plain lines
// at intervals.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "client_cli/output/terminal.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// Returns progress as text: "[ 42.3%] 12345/29160 frames, 187.42 fps, eta 0:01:29". Unknown parts
// are omitted. `unit` is in the singular.
std::string format_progress(const v1::JobProgress& progress, std::string_view unit);

// Returns the sum of the progress of several jobs. Succeeded jobs count as complete.
v1::JobProgress sum_progress(const std::map<std::string, v1::Job>& jobs);

// Draws the progress line. All other output to standard error must use print() during this time.
// Not thread-safe.
class ProgressView {
 public:
  using Write = void (*)(std::string_view text);

  // `interval`: time between plain lines.
  ProgressView(Terminal terminal, const Clock& clock, Duration interval, Write write);
  ~ProgressView();  // removes the progress line

  // Draws the state of the jobs unless the last drawing was too recent. `force` draws in any case.
  void show(const std::map<std::string, v1::Job>& jobs, bool force = false);
  // Prints a permanent line above the progress line.
  void print(std::string_view line);
  // Removes the progress line until the next show().
  void erase();

 private:
  std::string line_for(const std::map<std::string, v1::Job>& jobs) const;

  Terminal terminal_;
  const Clock& clock_;
  Duration interval_;
  Write write_;
  TimePoint next_{};
  std::string drawn_;  // text of the progress line on the screen
};

}  // namespace weft::cli
