// SPDX-License-Identifier: Apache-2.0
// A queue between two stages of a job: holds so many items and no more, and can be closed from either side.
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

  // Waits for room. False: the queue is closed and the item was dropped.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    traced_wait(room_, lock, "queue full", [&] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    lock.unlock();
    filled_.notify_one();
    return true;
  }

  // Waits for an item. Nothing: the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    traced_wait(filled_, lock, "queue empty", [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    lock.unlock();
    room_.notify_one();
    return item;
  }

  // The producer's end: what is in the queue is still given out.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    room_.notify_all();
    filled_.notify_all();
  }

  // The consumer's end, or a stop: what is in the queue is dropped.
  void abandon() {
    std::deque<T> dropped;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      dropped.swap(items_);
    }
    room_.notify_all();
    filled_.notify_all();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace weft::worker
