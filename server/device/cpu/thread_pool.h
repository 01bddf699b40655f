// SPDX-License-Identifier: Apache-2.0
// Threads that the streams of a CPU device share: each launch is cut into parts, and idle threads take the
// next part of the launch with the highest priority.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "server/device/device.h"

namespace weft::device::cpu {

class ThreadPool {
 public:
  // `threads`: how many run parts of one launch at the same time, the caller of run() included; at least 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls part(i) for each i below `parts`, here and on the pool's threads; returns when all have returned.
  // Thread-safe.
  void run(StreamPriority priority, uint64_t parts, const std::function<void(uint64_t)>& part);

 private:
  struct Work {
    StreamPriority priority;
    uint64_t parts;
    const std::function<void(uint64_t)>* part;
    uint64_t next = 0;
    uint64_t finished = 0;
    std::condition_variable all_finished;
  };

  void work_until_stopped();
  void add(Work& work);
  // Runs the next part of `work` with the lock released; takes it off the list with its last part.
  void run_part(Work& work, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable work_added_;
  std::list<Work*> open_;  // with parts that nobody has taken, highest priority first, then oldest
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace weft::device::cpu
