// SPDX-License-Identifier: Apache-2.0
// Observes the presence of other programs on the device: a thread queries the driver some times a
// second and reports to the schedule. Also parses the values of the option --foreign.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "server/device/external_load_watch.h"
#include "server/schedule/phase_lock.h"

namespace weft::worker {

// Returns the mode for "yield" or "share", or nullopt for other texts.
std::optional<schedule::ExternalLoadMode> external_load_mode(std::string_view text);

// Queries the driver at each `interval` until destruction. (NVML's figures change five to ten times
// a second.)
class PresenceWatch {
 public:
  // Called on the watch's thread. If the driver stops answering, the last report states that no
  // other program is present.
  using Report = std::function<void(const schedule::Presence&)>;
  PresenceWatch(std::unique_ptr<device::ExternalLoadWatch> use, Report report,
                Duration interval = std::chrono::milliseconds(150));

 private:
  void run(const std::stop_token& stop);

  std::unique_ptr<device::ExternalLoadWatch> use_;
  Report report_;
  Duration interval_;
  // last member, so that the thread ends before the members it uses are destroyed
  std::jthread thread_;
};

}  // namespace weft::worker
