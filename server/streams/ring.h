// SPDX-License-Identifier: Apache-2.0
// Allocates the shared memory of a stream: an unnamed file with a sealed size, since a client that
// truncated the file would crash the worker. The memory contains only samples; no address or size
// is read from it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "server/channel/file_descriptor.h"

namespace weft::streams {

class Ring {
 public:
  Ring() = default;
  ~Ring();
  Ring(Ring&& other) noexcept;
  Ring& operator=(Ring&& other) noexcept;

  // Creates a ring and allocates its memory; blocks while the kernel clears the pages. The stream
  // needs `further_bytes` of memory in other processes. Returns
  // RESOURCE_EXHAUSTED if the machine has too little memory.
  static StatusOr<Ring> make(int64_t bytes, int64_t further_bytes = 0);

  int descriptor() const { return memory_.get(); }
  // Returns the memory in this process; the first call maps it. Returns null if the mapping failed.
  std::byte* data();

 private:
  channel::FileDescriptor memory_;
  int64_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace weft::streams
