// SPDX-License-Identifier: Apache-2.0
// Who else is on the device: asks its driver some times a second, on a thread of its own, and tells the schedule. And the
// option --foreign, which says what is done about it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "server/device/foreign_use.h"
#include "server/schedule/phase_lock.h"

namespace weft::worker {

// What --foreign and --foreign-without-period say. kAuto: kLock, and kShort on a device that lights a screen.
enum class ForeignOption { kAuto, kLock, kShort, kYield, kIgnore };
// "auto", "lock", "short", "yield", "ignore"; nothing for anything else.
std::optional<ForeignOption> foreign_option(std::string_view text);
schedule::PhaseLockLimits foreign_limits(ForeignOption foreign, ForeignOption without_period,
                                         bool has_display);

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
