// SPDX-License-Identifier: Apache-2.0
// Waiting for a condition while this thread's event loop runs, for programs that show no window to anybody.
#pragma once

#include <chrono>
#include <functional>

namespace weft::gui {

// Asks again every few milliseconds, and sleeps in between where there are no events. False after the deadline.
bool wait_until(const std::function<bool()>& is_true,
                std::chrono::milliseconds deadline = std::chrono::seconds(60));

// Lets so much time go by.
void let_pass(std::chrono::milliseconds time);

}  // namespace weft::gui
