// SPDX-License-Identifier: Apache-2.0
// Registers file calls in progress and the progress of work on files. A hanging file system blocks
// the calling thread, so the call is registered before it begins; another thread can then name it.
//
//   FileCalls calls;                               // of a job
//   const WatchFileCalls watch(&calls);            // on each of its threads
//   const FileCall call("read", file.name());      // round a call of the system
//   if (const auto longest = calls.longest()) ...  // on any other thread
#pragma once

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace weft::media {

// Holds the file calls of several threads. Thread-safe.
class FileCalls {
 public:
  struct Call {
    std::string doing;  // operation on the file: "read", "written"
    std::string file;   // name of the file, as in messages; empty if unknown
    TimePoint since;
  };

  // Returns the call in progress that began first, or nullopt.
  std::optional<Call> longest() const {
    const std::lock_guard lock(mutex_);
    if (calls_.empty()) return std::nullopt;
    return calls_.front();
  }

  // Returns the total time of all calls up to `now`, including those in progress.
  Duration waited(TimePoint now) const {
    const std::lock_guard lock(mutex_);
    Duration sum = ended_;
    for (const Call& call : calls_) sum += std::max(now - call.since, Duration(0));
    return sum;
  }

  // Returns the progress of long work on files, in bands of image rows read or written. The number
  // only increases.
  uint64_t chunks() const { return chunks_; }

 private:
  friend class FileCall;
  friend void chunk_done();
  std::atomic<uint64_t> chunks_{0};
  mutable std::mutex mutex_;
  std::list<Call> calls_;  // calls in progress, in the order of their begin
  Duration ended_{0};      // total time of ended calls
};

// Registers the file calls of this thread in `calls` during its lifetime. `calls` must outlive this
// object.
class WatchFileCalls {
 public:
  explicit WatchFileCalls(FileCalls* calls);
  ~WatchFileCalls();
  WatchFileCalls(const WatchFileCalls&) = delete;
  WatchFileCalls& operator=(const WatchFileCalls&) = delete;

 private:
  FileCalls* const before_;
};

// Counts one piece of this thread's work on a file as done, if a WatchFileCalls exists on the
// thread.
void chunk_done();

// Registers a call of this thread that may wait for a file system, if a WatchFileCalls exists on
// the thread. Does not change errno.
class FileCall {
 public:
  FileCall(std::string_view doing, std::string_view file);
  ~FileCall();
  FileCall(const FileCall&) = delete;
  FileCall& operator=(const FileCall&) = delete;

 private:
  FileCalls* const calls_;
  std::list<FileCalls::Call>::iterator call_;
};

}  // namespace weft::media
