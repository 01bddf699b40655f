// SPDX-License-Identifier: Apache-2.0
// Requests a confirmation of an action from the user.
#pragma once

#include <functional>

class QString;
class QWidget;

namespace weft::gui {

// Shows a question with No as the default answer and returns at once. Calls `act` after the answer
// Yes.
void confirm(QWidget& parent, const QString& title, const QString& question, std::function<void()> act);

}  // namespace weft::gui
