// SPDX-License-Identifier: Apache-2.0
// Takes screenshots of views, and writes pictures of decisions, without a visible window.
#pragma once

#include <QString>
#include <chrono>

#include "base/status.h"
#include "client_gui/views/main_window.h"

namespace weft::gui {

inline constexpr std::chrono::seconds kLongestWatch(3600);

// Writes the window as PNG. Shows the view with a job selected, waits until the reachable servers
// have sent all data (at most ten seconds), and then waits for `watch`. INVALID_ARGUMENT: the view
// is unknown. UNAVAILABLE: the file cannot be written.
Status take_screenshot(MainWindow& window, const QString& view, const QString& file,
                       std::chrono::milliseconds watch = {});

// Writes the decisions of a job over time as PNG, in the colours of the current theme. `id` is a
// job ID or a unique prefix. NOT_FOUND: the first server has no such job, or the job has no
// decisions with sections. UNAVAILABLE: the server does not answer, or the file cannot be written.
Status save_decisions(Fleet& fleet, const QString& id, const QString& file);

}  // namespace weft::gui
