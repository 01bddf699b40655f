// SPDX-License-Identifier: Apache-2.0
// Represents a kernel that does nothing.
#pragma once

#include "server/device/backend.h"

namespace weft::device::null {

class NullKernel final : public KernelBackend {};

}  // namespace weft::device::null
