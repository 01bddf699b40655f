// SPDX-License-Identifier: Apache-2.0
// Who runs this process: the owner of what it asks for. Only for the sources of this folder.
#pragma once

#include <string>

namespace weft::client {

// The user's name, or his number where there is none.
std::string user_name();

}  // namespace weft::client
