// SPDX-License-Identifier: Apache-2.0
// Names of files as the daemon wants them.
#pragma once

#include <string>

namespace weft::client {

// Absolute, since the daemon has another folder. Links are kept, save where ".." follows one.
std::string absolute_path(const std::string& path);

}  // namespace weft::client
