// SPDX-License-Identifier: Apache-2.0
// The presence of other programs on the device: asks its driver some times a second, on a thread of its own, and tells the
// schedule. Reads the values of the option --foreign.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "server/device/foreign_use.h"
#include "server/schedule/phase_lock.h"

namespace weft::worker {

// Reads the value of --foreign: "yield" or "share"; nothing for other texts.
std::optional<schedule::ForeignMode> foreign_mode(std::string_view text);

// Asks every `interval` (NVML's own figures change five to ten times a second) until it is destroyed.
class PresenceWatch {
 public:
  // Called on the watch's thread. A driver that stops answering tells nothing more: nobody counts as present.
  using Tell = std::function<void(const schedule::Presence&)>;
  PresenceWatch(std::unique_ptr<device::ForeignUse> use, Tell tell,
                Duration interval = std::chrono::milliseconds(150));

 private:
  void run(const std::stop_token& stop);

  std::unique_ptr<device::ForeignUse> use_;
  Tell tell_;
  Duration interval_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace weft::worker
