// SPDX-License-Identifier: Apache-2.0
// Recordings as CUDA graphs, captured from a stream.
#pragma once

#include "server/device/recording.h"

namespace weft::device::cuda {

// `stream` is one of CUDA's. As device::record().
StatusOr<std::unique_ptr<Recording>> record(Stream& stream, const std::function<void()>& enqueue);

}  // namespace weft::device::cuda
