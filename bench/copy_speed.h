// SPDX-License-Identifier: Apache-2.0
// Measures the rate of a device's copies in its own memory, the base of the benchmarks' limits.
#pragma once

#include <algorithm>

#include "server/device/device.h"

namespace weft::bench {

// Returns the bytes read and written by a copy in device memory, in GB/s: the best of ten copies. A
// copy has 1 GiB on a GPU, and 64 MiB if the processor copies.
inline StatusOr<double> measure_copy(device::Device& device, device::Stream& stream) {
  const size_t bytes = size_t(device.info().is_software ? 64 : 1024) << 20;
  ASSIGN_OR_RETURN(const auto from, device.allocate(device::MemoryKind::kDevice, bytes));
  ASSIGN_OR_RETURN(const auto to, device.allocate(device::MemoryKind::kDevice, bytes));
  stream.fill(*from, 0, bytes, std::byte{1});
  double best = 0;
  for (int i = 0; i < 10; i++) {
    const device::Mark begin = stream.mark();
    stream.copy(*to, 0, *from, 0, bytes);
    const device::Mark end = stream.mark();
    RETURN_IF_ERROR(stream.wait(end));
    ASSIGN_OR_RETURN(const Duration time, stream.elapsed(begin, end));
    best = std::max(best, 2.0 * double(bytes) / double(time.count()));
  }
  return best;
}

}  // namespace weft::bench
