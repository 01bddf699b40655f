// SPDX-License-Identifier: Apache-2.0
// Memory for units that come out, pinned or the device's, lent out and given back on any thread.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "server/device/device.h"

namespace weft::graph {

// Slots of one size for each output: a slot's number is good for all of them.
class PicturePool {
 public:
  struct Output {
    std::unique_ptr<device::Buffer> buffer;
    size_t unit_bytes = 0;
  };
  PicturePool(std::vector<Output> outputs, int slots);

  device::Buffer& buffer(size_t output) { return *outputs_[output].buffer; }
  size_t offset(size_t output, int slot) const { return size_t(slot) * outputs_[output].unit_bytes; }
  // Of pinned memory.
  const std::byte* unit(size_t output, int slot) const {
    return outputs_[output].buffer->host() + offset(output, slot);
  }
  int free_slots() const;
  int take();  // there must be one
  // The slot is free again when what is returned is released.
  static std::shared_ptr<const void> lend(const std::shared_ptr<PicturePool>& pool, int slot);

 private:
  std::vector<Output> outputs_;
  mutable std::mutex mutex_;
  std::vector<int> free_;  // guarded by mutex_
};

}  // namespace weft::graph
