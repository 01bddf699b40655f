// SPDX-License-Identifier: Apache-2.0
// Stores the list of servers in the program's settings.
#pragma once

#include <vector>

#include "client_gui/connection/values.h"

namespace weft::gui {

std::vector<ServerEndpoint> stored_servers();
// Stores the servers. Tokens are stored only if the endpoint permits it. Only the user can read the
// file.
void store_servers(const std::vector<ServerEndpoint>& endpoints);

}  // namespace weft::gui
