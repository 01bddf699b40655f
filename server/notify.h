// SPDX-License-Identifier: Apache-2.0
// What the daemon tells systemd of itself, as sd_notify(3) has it.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"

namespace weft {

// Tells systemd, if it asks to be told: "READY=1". Errors do not matter: nobody listens.
void notify(const std::string& words);

// How often the watchdog is told that we live: at half of its limit, as sd_watchdog_enabled(3) advises; nothing: there is none.
std::optional<Duration> watchdog_interval();

}  // namespace weft
