// SPDX-License-Identifier: Apache-2.0
// Serialises operations during which a driver delays all launches of the process.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>

namespace weft::worker {

// A lock with a timeout, for std::unique_lock. std::timed_mutex is not used: it waits by a call
// (pthread_mutex_clocklock) that the thread sanitizer of GCC 12 does not detect.
class TimedLock {
 public:
  bool try_lock_for(std::chrono::seconds most) {
    std::unique_lock lock(mutex_);
    if (!free_.wait_for(lock, most, [this] { return !taken_; })) return false;
    return taken_ = true;
  }
  void unlock() {
    const std::lock_guard lock(mutex_);
    taken_ = false;
    free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

// Lock around slow driver calls (opening and closing objects). A default-constructed object holds
// no lock.
class DriverLock {
 public:
  DriverLock() = default;
  // Returns false if the wait for the lock timed out; the caller then continues without it.
  bool is_held() const { return lock_guard_.owns_lock(); }

 private:
  friend class DriverLocks;
  struct Leave {
    void operator()(std::atomic<int>* openings) const { --*openings; }
  };
  DriverLock(TimedLock& timed_lock, std::atomic<int>& openings)
      : counted_(&openings), lock_guard_(timed_lock, std::defer_lock) {
    openings++;
  }
  std::unique_ptr<std::atomic<int>, Leave> counted_;
  std::unique_lock<TimedLock> lock_guard_;
};

// Creates driver locks. Thread-safe. Must outlive the locks.
class DriverLocks {
 public:
  static constexpr uint64_t kDisturbed = std::numeric_limits<uint64_t>::max();

  // Blocks until the lock is free, but at most for `most`.
  DriverLock take(std::chrono::seconds most) {
    begun_++;
    DriverLock driver_lock(lock_, openings_);
    static_cast<void>(driver_lock.lock_guard_.try_lock_for(most));
    return driver_lock;
  }
  bool any() const { return openings_ > 0; }
  // Returns the number of openings begun so far, or kDisturbed while an opening is in progress: the
  // driver then delays launches and waits.
  uint64_t calm_since() const { return any() ? kDisturbed : begun_.load(); }

 private:
  TimedLock lock_;
  std::atomic<int> openings_{0};
  std::atomic<uint64_t> begun_{0};
};

}  // namespace weft::worker
