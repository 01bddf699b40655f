// SPDX-License-Identifier: Apache-2.0
// A picture of a view, for documentation and tests.
#pragma once

#include <QString>

#include "base/status.h"
#include "client_gui/views/main_window.h"

namespace weft::gui {

// Shows the view, waits until the servers told what they have (those that can be reached, ten seconds at most) and writes the
// window as PNG. INVALID_ARGUMENT: there is no such view; UNAVAILABLE: the file cannot be written.
Status take_screenshot(MainWindow& window, const Fleet& fleet, const QString& view, const QString& file);

}  // namespace weft::gui
