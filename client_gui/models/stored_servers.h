// SPDX-License-Identifier: Apache-2.0
// The servers that are looked at, from one start to the next, in the program's settings.
#pragma once

#include <vector>

#include "client_gui/connection/values.h"

namespace weft::gui {

std::vector<ServerPlace> stored_servers();
// A token only where its place says so; only the person can read the file then.
void store_servers(const std::vector<ServerPlace>& places);

}  // namespace weft::gui
