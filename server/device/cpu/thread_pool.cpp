// SPDX-License-Identifier: Apache-2.0
#include "server/device/cpu/thread_pool.h"

#include <algorithm>
#include <span>

#include "base/thread_share.h"

namespace weft::device::cpu {

ThreadPool::Claim::Claim(ThreadPool& pool, StreamPriority priority) : pool_(pool), priority_(priority) {
  const std::lock_guard lock(pool_.mutex_);
  pool_.claims_[size_t(priority_)]++;
}

ThreadPool::Claim::~Claim() {
  const std::lock_guard lock(pool_.mutex_);
  pool_.claims_[size_t(priority_)]--;
  pool_.offer_thread();
}

ThreadPool::ThreadPool(int threads) : threads_(threads) {
  for (const Group group : {kOthers, kHighest})
    for (int i = 1; i < threads; i++) workers_.emplace_back([this, group] { work_until_stopped(group); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (std::condition_variable& offered : thread_offered_) offered.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

size_t ThreadPool::waiting_launches() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void ThreadPool::run(StreamPriority priority, uint64_t parts, const std::function<void(uint64_t)>& part) {
  if (parts == 0) return;
  Work work{.priority = priority, .parts = parts, .part = &part, .changed = {}};
  std::unique_lock lock(mutex_);
  add(work);
  while (work.finished < work.parts) {
    if (is_next(work)) {
      run_part(work, lock);
      continue;
    }
    offer_thread();
    // Must be set before each wait: another launch may have used the offered thread.
    work.caller_waits = true;
    work.changed.wait(lock);
    work.caller_waits = false;
  }
  offer_thread();
}

void ThreadPool::add(Work& work) {
  const auto lower = [&](const Work* other) { return other->priority < work.priority; };
  open_.insert(std::ranges::find_if(open_, lower), &work);
  const uint64_t helpers = std::min<uint64_t>(work.parts - 1, uint64_t(threads_ - 1));
  for (uint64_t i = 0; i < helpers; i++) thread_offered_[group_of(work.priority)].notify_one();
}

bool ThreadPool::is_held_back(const Work& work) const {
  const auto above = std::span(claims_).subspan(size_t(work.priority) + 1);
  return std::ranges::any_of(above, [](int claims) { return claims > 0; });
}

void ThreadPool::offer_thread() {
  if (!has_thread()) return;
  Work& next = *open_.front();
  if (next.caller_waits) {
    next.caller_waits = false;
    next.changed.notify_one();
  } else {
    thread_offered_[group_of(next.priority)].notify_one();
  }
}

void ThreadPool::run_part(Work& work, std::unique_lock<std::mutex>& lock) {
  const uint64_t index = work.next++;
  if (work.next == work.parts) open_.remove(&work);
  running_++;
  offer_thread();
  lock.unlock();
  (*work.part)(index);
  lock.lock();
  running_--;
  if (++work.finished == work.parts) work.changed.notify_one();
}

void ThreadPool::work_until_stopped(Group group) {
  if (group == kOthers) raise_nice(kNormalNice);
  std::unique_lock lock(mutex_);
  while (true) {
    thread_offered_[group].wait(lock, [&] { return stopping_ || is_next_of(group); });
    if (!is_next_of(group)) return;
    run_part(*open_.front(), lock);
    if (!is_next_of(group)) offer_thread();  // to a thread of the other group, or to a caller
  }
}

}  // namespace weft::device::cpu
