// SPDX-License-Identifier: Apache-2.0
// Threads that the streams of a CPU device share: each launch is cut into parts, and whoever is free takes the next part of the
// launch with the highest priority. No more parts run at a time than there are threads: a launch that is less urgent stands still
// between two of its parts until the more urgent ones leave it a place, and until no more of them are about to come (Claim).
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
  // `threads`: how many run parts of one launch at the same time, the caller of run() included; at least 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // While one lives, launches of lower priority begin no part: for who has more launches to come. Thread-safe.
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

  // Launches with parts that nobody has taken. Thread-safe.
  size_t waiting_launches() const;

  // Calls part(i) for each i below `parts`, here and on the pool's threads; returns when all have returned. A part runs no other.
  // Thread-safe.
  void run(StreamPriority priority, uint64_t parts, const std::function<void(uint64_t)>& part);

 private:
  struct Work {
    StreamPriority priority;
    uint64_t parts;
    const std::function<void(uint64_t)>* part;
    uint64_t next = 0;
    uint64_t finished = 0;
    std::condition_variable changed;  // for its caller: it is its turn, or all of it is finished
    bool caller_waits = false;        // and was not told yet
  };

  void work_until_stopped();
  void add(Work& work);
  bool is_held_back(const Work& work) const;
  bool has_place() const { return running_ < threads() && !open_.empty() && !is_held_back(*open_.front()); }
  bool is_next(const Work& work) const { return has_place() && open_.front() == &work; }
  // Tells somebody who waits of a place that the calling thread does not take.
  void offer_place();
  // Runs the next part of `work` with the lock released; takes it off the list with its last part.
  void run_part(Work& work, std::unique_lock<std::mutex>& lock);

  const int threads_;
  mutable std::mutex mutex_;
  std::condition_variable place_offered_;  // for workers
  std::list<Work*> open_;  // with parts that nobody has taken, highest priority first, then oldest
  int running_ = 0;        // parts
  std::array<int, kStreamPriorities> claims_{};
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace weft::device::cpu
