// SPDX-License-Identifier: Apache-2.0
#include "server/graph/picture_pool.h"

#include <utility>

namespace weft::graph {

PicturePool::PicturePool(std::vector<Output> outputs, int slots) : outputs_(std::move(outputs)) {
  free_.reserve(size_t(slots));
  for (int slot = slots - 1; slot >= 0; slot--) free_.push_back(slot);
}

int PicturePool::free_slots() const {
  const std::lock_guard lock(mutex_);
  return int(free_.size());
}

int PicturePool::take() {
  const std::lock_guard lock(mutex_);
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

std::shared_ptr<const void> PicturePool::lend(const std::shared_ptr<PicturePool>& pool, int slot) {
  return {pool.get(), [pool, slot](const void*) {
            const std::lock_guard lock(pool->mutex_);
            pool->free_.push_back(slot);
          }};
}

}  // namespace weft::graph
