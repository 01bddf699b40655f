// SPDX-License-Identifier: Apache-2.0
// Determines the user of this process, the owner of its requests. Only sources of this folder
// include it.
#pragma once

#include <string>

namespace weft::client {

// Returns the name of the user, or the user's number if the name is unknown.
std::string user_name();

}  // namespace weft::client
