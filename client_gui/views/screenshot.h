// SPDX-License-Identifier: Apache-2.0
// A picture of a view, for documentation and tests.
#pragma once

#include <QString>
#include <chrono>

#include "base/status.h"
#include "client_gui/views/main_window.h"

namespace weft::gui {

inline constexpr std::chrono::seconds kLongestWatch(3600);

// Shows the view, the first job chosen if none is, waits until the servers told what they have and what they were asked (those that can be reached, ten seconds at
// most), looks on for `watch` and writes the window as PNG. INVALID_ARGUMENT: there is no such view; UNAVAILABLE: the file cannot be written.
Status take_screenshot(MainWindow& window, const QString& view, const QString& file,
                       std::chrono::milliseconds watch = {});

}  // namespace weft::gui
