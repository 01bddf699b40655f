// SPDX-License-Identifier: Apache-2.0
// Runs the launches of all streams of a CPU device on a fixed number of threads. Each launch is
// divided into parts, and a free thread runs the next part of the launch with the highest priority.
// The number of parts that run at the same time is at most the number of threads. A launch of lower
// priority pauses between two parts while launches of higher priority use all threads or are
// announced (Claim).
//
// Launches of the highest priority have threads of their own, at the nice level of the process; the
// threads of all other launches are nicer (base/thread_share.h). A thread cannot change back.
#pragma once

#include <array>
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
  // `threads` is the number of threads that run parts of a launch at the same time, including the
  // caller of run(); at least 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // Announces further launches of a priority. While a Claim exists, launches of lower priority
  // start no part. Thread-safe.
  class Claim {
   public:
    Claim(ThreadPool& pool, StreamPriority priority);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    ThreadPool& pool_;
    const StreamPriority priority_;
  };

  // Returns the number of launches with parts that have not started. Thread-safe.
  size_t waiting_launches() const;

  // Calls part(i) for each i below `parts`, on this thread and on the pool's threads. Returns when
  // all calls have returned. `part` must not call run(). Thread-safe.
  void run(StreamPriority priority, uint64_t parts, const std::function<void(uint64_t)>& part);

 private:
  struct Work {
    StreamPriority priority;
    uint64_t parts;
    const std::function<void(uint64_t)>* part;
    uint64_t next = 0;
    uint64_t finished = 0;
    // Wakes the caller for its next part, or when all parts are finished.
    std::condition_variable changed;
    bool caller_waits = false;  // the caller waits and has not been notified
  };

  // The threads are divided into groups, by the priority of their launches.
  enum Group : size_t { kOthers, kHighest, kGroups };
  static Group group_of(StreamPriority priority) {
    return priority == StreamPriority::kHigh ? kHighest : kOthers;
  }

  void work_until_stopped(Group group);
  void add(Work& work);
  bool is_held_back(const Work& work) const;
  bool has_thread() const { return running_ < threads() && !open_.empty() && !is_held_back(*open_.front()); }
  bool is_next(const Work& work) const { return has_thread() && open_.front() == &work; }
  bool is_next_of(Group group) const { return has_thread() && group_of(open_.front()->priority) == group; }
  // Notifies a waiting thread if a part may start.
  void offer_thread();
  // Runs the next part of `work` with the lock released. Removes `work` from the list before its
  // last part.
  void run_part(Work& work, std::unique_lock<std::mutex>& lock);

  const int threads_;
  mutable std::mutex mutex_;
  std::array<std::condition_variable, kGroups> thread_offered_;  // notify the workers of a group
  // Work with parts that have not started, by priority (highest first), then by age (oldest first).
  std::list<Work*> open_;
  int running_ = 0;  // number of running parts
  std::array<int, kStreamPriorities> claims_{};
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace weft::device::cpu
