// SPDX-License-Identifier: Apache-2.0
// Which file calls are going on, and that work on files goes on: a file system that hangs keeps a thread in one of them, and only who noted that before can tell
// what it waits for.
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

// Thread-safe.
class FileCalls {
 public:
  struct Call {
    std::string doing;  // "read", "written": what happens to the file
    std::string file;   // its name, as in messages; empty: not known
    TimePoint since;
  };

  // Of those that are going on, the one that began first.
  std::optional<Call> longest() const {
    const std::lock_guard lock(mutex_);
    if (calls_.empty()) return std::nullopt;
    return calls_.front();
  }

  // How long all of them together took up to `now`, those that are going on counted in.
  Duration waited(TimePoint now) const {
    const std::lock_guard lock(mutex_);
    Duration sum = ended_;
    for (const Call& call : calls_) sum += std::max(now - call.since, Duration(0));
    return sum;
  }

  // Of work on files that takes long: rows of images that were read or are to be written. They rise as it goes on.
  uint64_t pieces() const { return pieces_; }

 private:
  friend class FileCall;
  friend void piece_done();
  std::atomic<uint64_t> pieces_{0};
  mutable std::mutex mutex_;
  std::list<Call> calls_;  // in the order of their beginnings
  Duration ended_{0};      // of those that are over
};

// While it lives, the file calls of this thread are noted there. The calls outlive it.
class WatchFileCalls {
 public:
  explicit WatchFileCalls(FileCalls* calls);
  ~WatchFileCalls();
  WatchFileCalls(const WatchFileCalls&) = delete;
  WatchFileCalls& operator=(const WatchFileCalls&) = delete;

 private:
  FileCalls* const before_;
};

// This thread has done a piece of its work on a file; counted if somebody watches.
void piece_done();

// A call of this thread that may wait for a file system; noted if somebody watches. Does not change errno.
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
