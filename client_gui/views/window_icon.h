// SPDX-License-Identifier: Apache-2.0
// The program's icon: threads that go over and under one another. Painted, so that it is sharp at every size.
#pragma once

#include <QIcon>

namespace weft::gui {

QIcon window_icon();

}  // namespace weft::gui
