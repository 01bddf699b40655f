// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace weft::queue {

// Returns an error with the message "SUBJECT (PATH): reason." and one of the codes NOT_FOUND,
// PERMISSION_DENIED, RESOURCE_EXHAUSTED, ALREADY_EXISTS or UNAVAILABLE (a retry may succeed).
// `what` is the subject.
Status file_error(int error, std::string_view what, const std::string& path);

// Returns true for a temporary shortage of the process or the machine: descriptors, memory.
bool is_shortage(int error);

}  // namespace weft::queue
