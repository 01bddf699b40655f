// SPDX-License-Identifier: Apache-2.0
// Launches that are recorded once and enqueued as one: a CUDA graph.
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::device {

// Its kernels and buffers outlive it, and the work that it enqueued has ended before it goes. One thread at a time.
class Recording {
 public:
  virtual ~Recording() = default;
  // Enqueues all of it on a stream of the same device. The error is the driver's, and does not stick to the stream.
  virtual Status replay(Stream& stream) = 0;
};

// What `enqueue` launches on `stream`, which does not run. UNIMPLEMENTED: the device records nothing (only CUDA does); UNAVAILABLE: its driver
// is too old.
StatusOr<std::unique_ptr<Recording>> record(Stream& stream, const std::function<void()>& enqueue);

}  // namespace weft::device
