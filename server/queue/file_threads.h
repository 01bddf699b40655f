// SPDX-License-Identifier: Apache-2.0
// A few threads for work that may wait for a disk or a network file system, so that the queue's thread never does.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weft::queue {

// Thread-safe.
class FileThreads {
 public:
  explicit FileThreads(int count);
  ~FileThreads();  // stop()
  FileThreads(const FileThreads&) = delete;
  FileThreads& operator=(const FileThreads&) = delete;

  // Runs the work on one of the threads; begun in the order of the calls.
  void add(std::function<void()> work);
  // Waits for the work that has begun and drops the rest, also what is added later.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> waiting_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weft::queue
