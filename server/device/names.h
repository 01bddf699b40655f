// SPDX-License-Identifier: Apache-2.0
// Declares the error messages that several files of the front end use.
#pragma once

#include <string_view>

#include "server/device/device.h"

namespace weft::device {

// Returns NOT_FOUND with the existing names that are nearest: the variants of the same file, or the
// kernels of the same folder.
Status no_such_kernel(std::string_view name);

}  // namespace weft::device
