// SPDX-License-Identifier: Apache-2.0
// Draws the program's icon, a weave of threads, for every size.
#pragma once

#include <QIcon>

namespace weft::gui {

QIcon window_icon();

}  // namespace weft::gui
