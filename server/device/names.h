// SPDX-License-Identifier: Apache-2.0
// Words for messages, shared by the files of the front end.
#pragma once

#include <string_view>

#include "server/device/device.h"

namespace weft::device {

// NOT_FOUND with the names that are nearest: the file's variants, else the folder's kernels.
Status no_such_kernel(std::string_view name);

}  // namespace weft::device
