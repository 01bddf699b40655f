// SPDX-License-Identifier: Apache-2.0
// A stream's shared memory: a file without a name whose size nobody can change any more (a client that cut it would
// kill the worker that reads it). It holds samples only: nothing in it is believed.
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

  // The memory is there from here on: RESOURCE_EXHAUSTED when the machine is short of it. May take a while.
  static StatusOr<Ring> make(int64_t bytes);

  int descriptor() const { return memory_.get(); }
  // Maps it into this process, once. Null when that fails.
  std::byte* data();

 private:
  channel::FileDescriptor memory_;
  int64_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace weft::streams
