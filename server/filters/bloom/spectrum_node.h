// SPDX-License-Identifier: Apache-2.0
// The making of a kernel's spectrum as a network, which the device's schedule runs as it runs frames.
#pragma once

#include "base/status.h"
#include "server/filters/bloom/bloom_kernel.h"
#include "server/filters/bloom/convolution.h"
#include "server/filters/engine.h"
#include "server/graph/network.h"

namespace weft::filters::bloom {

// `spectrum` is written to, in so many portions. It and the convolution outlive the network. INVALID_ARGUMENT: a kernel that does not
// fit the convolution's shape.
StatusOr<Preparation> spectrum_preparation(const Convolution& convolution, const BloomKernel& kernel,
                                           const device::Buffer& spectrum, int portions);

}  // namespace weft::filters::bloom
