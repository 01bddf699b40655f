// SPDX-License-Identifier: Apache-2.0
#include "server/queue/file_threads.h"

#include <utility>

namespace weft::queue {

FileThreads::FileThreads(int count) {
  for (int i = 0; i < count; i++) threads_.emplace_back([this] { run(); });
}

FileThreads::~FileThreads() { stop(); }

void FileThreads::add(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (stopped_) return;
  waiting_.push_back(std::move(work));
  arrived_.notify_one();
}

void FileThreads::stop() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    waiting_.clear();
    arrived_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void FileThreads::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
    if (stopped_) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace weft::queue
