// SPDX-License-Identifier: Apache-2.0
// Holds the memory of output units, pinned or on the device. Slots may be lent and returned on any
// thread.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "server/device/device.h"

namespace weft::graph {

// A pool with slots of one size for each output. A slot number refers to the same slot of all
// outputs.
class PicturePool {
 public:
  struct Output {
    std::unique_ptr<device::Buffer> buffer;
    size_t unit_bytes = 0;
  };
  PicturePool(std::vector<Output> outputs, int slots);

  device::Buffer& buffer(size_t output) { return *outputs_[output].buffer; }
  size_t offset(size_t output, int slot) const { return size_t(slot) * outputs_[output].unit_bytes; }
  // Returns the address of a unit in pinned memory.
  const std::byte* unit(size_t output, int slot) const {
    return outputs_[output].buffer->host() + offset(output, slot);
  }
  int free_slots() const;
  int take();  // takes a free slot and returns its number; one must be free
  // Returns a pointer that returns the slot to the pool when it is released.
  static std::shared_ptr<const void> lend(const std::shared_ptr<PicturePool>& pool, int slot);

 private:
  std::vector<Output> outputs_;
  mutable std::mutex mutex_;
  std::vector<int> free_;  // guarded by mutex_
};

}  // namespace weft::graph
