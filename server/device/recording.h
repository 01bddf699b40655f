// SPDX-License-Identifier: Apache-2.0
// Records launches once, to enqueue them later as one unit (a CUDA graph).
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::device {

// Recorded launches. The kernels and buffers must outlive the recording. The enqueued work must
// have ended before the recording is destroyed. Not thread-safe.
class Recording {
 public:
  virtual ~Recording() = default;
  // Enqueues all recorded launches on a stream of the same device. Returns the driver's error; the
  // stream does not keep it.
  virtual Status replay(Stream& stream) = 0;
};

// Records the launches that `enqueue` enqueues on `stream`; they do not run. Returns UNIMPLEMENTED
// if the device does not support recordings (only CUDA does), and UNAVAILABLE if its driver is too
// old.
StatusOr<std::unique_ptr<Recording>> record(Stream& stream, const std::function<void()>& enqueue);

}  // namespace weft::device
