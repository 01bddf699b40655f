// SPDX-License-Identifier: Apache-2.0
// Records launches as CUDA graphs, captured from a stream.
#pragma once

#include "server/device/recording.h"

namespace weft::device::cuda {

// Implements device::record(). `stream` must be a CUDA stream.
StatusOr<std::unique_ptr<Recording>> record(Stream& stream, const std::function<void()>& enqueue);

}  // namespace weft::device::cuda
