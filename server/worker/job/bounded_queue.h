// SPDX-License-Identifier: Apache-2.0
// Connects two stages of a job by a queue of limited capacity, which either side can close.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "server/worker/device/trace_ring.h"

namespace weft::worker {

// Thread-safe.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Blocks until the queue has room. Returns false if the queue is closed; the item is then
  // dropped.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    traced_wait(drained_, lock, "queue full", [&] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    lock.unlock();
    filled_.notify_one();
    return true;
  }

  // Blocks until an item is available. Returns nullopt if the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    traced_wait(filled_, lock, "queue empty", [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    lock.unlock();
    drained_.notify_one();
    return item;
  }

  // Closes the queue from the producer's side: queued items are still delivered.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    drained_.notify_all();
    filled_.notify_all();
  }

  // Closes the queue from the consumer's side, or for a stop: queued items are dropped.
  void abandon() {
    std::deque<T> dropped;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      dropped.swap(items_);
    }
    drained_.notify_all();
    filled_.notify_all();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable drained_, filled_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace weft::worker
