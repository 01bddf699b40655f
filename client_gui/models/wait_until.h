// SPDX-License-Identifier: Apache-2.0
// Waits for conditions in the thread's event loop, for programs without a visible window.
#pragma once

#include <chrono>
#include <functional>

namespace weft::gui {

// Returns true once the condition holds, or false after the deadline. Checks the condition every
// few milliseconds and sleeps while there are no events.
bool wait_until(const std::function<bool()>& is_true,
                std::chrono::milliseconds deadline = std::chrono::seconds(60));

// Processes events for the given time.
void let_pass(std::chrono::milliseconds time);

}  // namespace weft::gui
