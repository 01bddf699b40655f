// SPDX-License-Identifier: Apache-2.0
// Implements the reader's side of every subscription: the waiting callback, the order of events,
// and the end. Derived classes (watch.h) provide the events.
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

  // Ends the subscription with `error` and drops undelivered events. Only the first call has an
  // effect.
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
  // Ends the subscription after all events are delivered.
  void finish() {
    {
      std::lock_guard lock(mutex_);
      complete_ = true;
    }
    pump();
  }

 protected:
  // take() returns the next event, or nullopt; drop() discards all events. Both are called with the
  // lock held.
  virtual std::optional<Event> take() = 0;
  virtual void drop() = 0;
  // Called without the lock when a reader waits and no event is left. An implementation may request
  // more events.
  virtual void starved() {}

  // Delivers events to the waiting reader. Derived classes call it after they added events.
  void pump();

  std::mutex mutex_;

 private:
  // Returns the answer for the waiting reader, or nullopt if there is none yet. Called with the
  // lock held.
  std::optional<StatusOr<std::optional<Event>>> answer() {
    if (ended_) return error_;
    if (std::optional<Event> event = take()) return std::optional<Event>(std::move(event));
    if (complete_) return std::optional<Event>();
    return std::nullopt;
  }

  Done waiting_;
  // true while a thread in pump() runs a callback; that thread also answers later readers
  bool answering_ = false;
  bool ended_ = false;
  bool complete_ = false;
  Status error_;
};

// Loops instead of recursing when `done` calls next() again.
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
    done = nullptr;  // its captures are destroyed without the lock
    lock.lock();
    answering_ = false;
  }
  const bool hungry = waiting_ != nullptr;
  lock.unlock();
  if (hungry) starved();
}

}  // namespace weft::queue
