// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace weft::queue {

// "WHAT (PATH): why." NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED, ALREADY_EXISTS; UNAVAILABLE: another try may help.
Status file_error(int error, std::string_view what, const std::string& path);

}  // namespace weft::queue
