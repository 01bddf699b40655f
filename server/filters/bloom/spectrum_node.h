// SPDX-License-Identifier: Apache-2.0
// Computes a kernel's spectrum as a network, which the device's schedule runs in the same way as
// frames.
#pragma once

#include "base/status.h"
#include "server/filters/bloom/bloom_kernel.h"
#include "server/filters/bloom/convolution.h"
#include "server/filters/engine.h"
#include "server/graph/network.h"

namespace weft::filters::bloom {

// Returns the work that writes `spectrum` in portions. The buffer and the convolution must outlive
// the network. INVALID_ARGUMENT: the kernel does not fit the convolution's shape.
StatusOr<Preparation> spectrum_preparation(const Convolution& convolution, const BloomKernel& kernel,
                                           const device::Buffer& spectrum, int portions);

}  // namespace weft::filters::bloom
