// SPDX-License-Identifier: Apache-2.0
// The CPU device with a guard on each side of every buffer: a buffer that goes fails the test that runs where its guards have changed.
#pragma once

#include <memory>

#include "server/device/device.h"

namespace weft::filters {

// With a sanitizer the plain device: that one sees the first byte past a buffer's end, of reads as well.
StatusOr<std::unique_ptr<device::Device>> open_guarded(const device::DeviceInfo& cpu);

}  // namespace weft::filters
