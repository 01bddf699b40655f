// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace weft::queue {

// "WHAT (PATH): why." NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED, ALREADY_EXISTS; UNAVAILABLE: another try may help.
Status file_error(int error, std::string_view what, const std::string& path);

// Whether it is about what the process or the machine has too little of for the moment: descriptors, memory.
bool is_shortage(int error);

}  // namespace weft::queue
