// SPDX-License-Identifier: Apache-2.0
// A kernel that does nothing.
#pragma once

#include "server/device/backend.h"

namespace weft::device::null {

class NullKernel final : public KernelBackend {};

}  // namespace weft::device::null
