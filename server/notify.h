// SPDX-License-Identifier: Apache-2.0
// Sends notifications to systemd by sd_notify(3).
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"

namespace weft {

// Sends a notification such as "READY=1" if systemd requests notifications. Errors are ignored.
void notify(const std::string& words);

// Returns the interval of watchdog notifications: half of the watchdog's limit, as
// sd_watchdog_enabled(3) recommends. Returns nullopt if systemd has no watchdog for the daemon.
std::optional<Duration> watchdog_interval();

}  // namespace weft
