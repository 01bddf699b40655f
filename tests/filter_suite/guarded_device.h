// SPDX-License-Identifier: Apache-2.0
// The CPU device with guard bytes on each side of every buffer. A buffer with changed guard bytes
// fails the running test when the buffer is freed.
#pragma once

#include <memory>

#include "server/device/device.h"

namespace weft::filters {

// Opens the guarded device. With a sanitizer it opens the plain device, since the sanitizer detects
// reads and writes past the end of a buffer.
StatusOr<std::unique_ptr<device::Device>> open_guarded(const device::DeviceInfo& cpu);

}  // namespace weft::filters
