// SPDX-License-Identifier: Apache-2.0
// Makes file names absolute for the daemon.
#pragma once

#include <string>

namespace weft::client {

// Returns an absolute path, since the daemon has another working folder. Links are kept, except a
// link before "..".
std::string absolute_path(const std::string& path);

}  // namespace weft::client
