// SPDX-License-Identifier: Apache-2.0
#include "server/device/cpu/thread_pool.h"

#include <algorithm>

namespace weft::device::cpu {

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; i++) workers_.emplace_back([this] { work_until_stopped(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_added_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(StreamPriority priority, uint64_t parts, const std::function<void(uint64_t)>& part) {
  if (parts <= 1 || workers_.empty()) {
    for (uint64_t i = 0; i < parts; i++) part(i);
    return;
  }
  Work work{.priority = priority, .parts = parts, .part = &part, .all_finished = {}};
  std::unique_lock lock(mutex_);
  add(work);
  while (work.next < work.parts) run_part(work, lock);
  work.all_finished.wait(lock, [&] { return work.finished == work.parts; });
}

void ThreadPool::add(Work& work) {
  const auto lower = [&](const Work* other) { return other->priority < work.priority; };
  open_.insert(std::ranges::find_if(open_, lower), &work);
  const uint64_t helpers = std::min<uint64_t>(work.parts - 1, workers_.size());
  for (uint64_t i = 0; i < helpers; i++) work_added_.notify_one();
}

void ThreadPool::run_part(Work& work, std::unique_lock<std::mutex>& lock) {
  const uint64_t index = work.next++;
  if (work.next == work.parts) open_.remove(&work);
  lock.unlock();
  (*work.part)(index);
  lock.lock();
  if (++work.finished == work.parts) work.all_finished.notify_one();
}

void ThreadPool::work_until_stopped() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_added_.wait(lock, [this] { return stopping_ || !open_.empty(); });
    if (open_.empty()) return;
    run_part(*open_.front(), lock);
  }
}

}  // namespace weft::device::cpu
