// SPDX-License-Identifier: Apache-2.0
// Turns of those who open or close what makes a driver hold back everybody's launches.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>

namespace weft::worker {

// For std::unique_lock: a lock that is waited for only so long. std::timed_mutex waits by a call (pthread_mutex_clocklock)
// that GCC 12's thread sanitizer does not see.
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

// Somebody's turn to open or close what the driver is slow with; {}: nobody's.
class OpeningTurn {
 public:
  OpeningTurn() = default;
  bool has_turn() const { return turn_.owns_lock(); }  // false: it waited for too long, and goes on without

 private:
  friend class OpeningTurns;
  struct Leave {
    void operator()(std::atomic<int>* openings) const { --*openings; }
  };
  OpeningTurn(TimedLock& turns, std::atomic<int>& openings)
      : counted_(&openings), turn_(turns, std::defer_lock) {
    openings++;
  }
  std::unique_ptr<std::atomic<int>, Leave> counted_;
  std::unique_lock<TimedLock> turn_;
};

// Thread-safe. Outlives the turns.
class OpeningTurns {
 public:
  static constexpr uint64_t kDisturbed = std::numeric_limits<uint64_t>::max();

  // Waits for the turn; after `most` it goes on without.
  OpeningTurn take(std::chrono::seconds most) {
    begun_++;
    OpeningTurn turn(lock_, openings_);
    static_cast<void>(turn.turn_.try_lock_for(most));
    return turn;
  }
  bool any() const { return openings_ > 0; }
  // Openings begun so far, or kDisturbed: one is under way, and the driver keeps launches and waits then.
  uint64_t calm_since() const { return any() ? kDisturbed : begun_.load(); }

 private:
  TimedLock lock_;
  std::atomic<int> openings_{0};
  std::atomic<uint64_t> begun_{0};
};

}  // namespace weft::worker
