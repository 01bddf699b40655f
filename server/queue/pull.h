// SPDX-License-Identifier: Apache-2.0
// The reader's half of every subscription: who waits, whose turn it is, how it ends. What is told is left to those
// who derive from it (watch.h).
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "base/status.h"
#include "server/queue/subscription.h"

namespace weft::queue {

// Thread-safe.
template <class Event>
class Pull : public Subscription<Event> {
 public:
  using Done = typename Subscription<Event>::Done;

  void next(Done done) final {
    {
      std::lock_guard lock(mutex_);
      if (waiting_ == nullptr) std::swap(waiting_, done);
    }
    if (done != nullptr) done(failed_precondition("A call of next waits already; wait for its answer."));
    pump();
  }
  void cancel() final { end(cancelled("The reader ended the subscription.")); }

  // Ends it early; what is not told yet is dropped. The first end counts.
  void end(Status error) {
    {
      std::lock_guard lock(mutex_);
      if (ended_) return;
      ended_ = true;
      error_ = std::move(error);
      drop();
    }
    pump();
  }
  // Ends it after everything is told.
  void finish() {
    {
      std::lock_guard lock(mutex_);
      complete_ = true;
    }
    pump();
  }

 protected:
  // With the lock held: the next event, if there is one; forget all events.
  virtual std::optional<Event> take() = 0;
  virtual void drop() = 0;
  // Without the lock: a reader waits and there is nothing. May ask for more.
  virtual void starved() {}

  // To be called after events were added.
  void pump();

  std::mutex mutex_;

 private:
  // With the lock held; nullopt: nothing to answer yet.
  std::optional<StatusOr<std::optional<Event>>> answer() {
    if (ended_) return error_;
    if (std::optional<Event> event = take()) return std::optional<Event>(std::move(event));
    if (complete_) return std::optional<Event>();
    return std::nullopt;
  }

  Done waiting_;
  bool answering_ = false;  // a thread is in pump: it also answers those who come meanwhile
  bool ended_ = false;
  bool complete_ = false;
  Status error_;
};

// A loop, so that a `done` that calls next again does not nest.
template <class Event>
void Pull<Event>::pump() {
  std::unique_lock lock(mutex_);
  if (answering_) return;
  while (waiting_ != nullptr) {
    auto result = answer();
    if (!result) break;
    Done done = std::exchange(waiting_, nullptr);
    answering_ = true;
    lock.unlock();
    done(*std::move(result));
    done = nullptr;  // what it holds on to is let go without the lock
    lock.lock();
    answering_ = false;
  }
  const bool hungry = waiting_ != nullptr;
  lock.unlock();
  if (hungry) starved();
}

}  // namespace weft::queue
