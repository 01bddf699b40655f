// SPDX-License-Identifier: Apache-2.0
// Provides a stream of events that the reader requests one by one. A slow reader, or one that is
// gone, therefore needs a bounded amount of memory.
//
//   watch->next([=](StatusOr<std::optional<v1::WatchJobsResponse>> event) { ... });
#pragma once

#include <functional>
#include <optional>

#include "base/status.h"

namespace weft::queue {

// Thread-safe.
template <class Event>
class Subscription {
 public:
  // Receives an event; nullopt after the last event; or an error if the stream ended early. The
  // function that created the subscription lists the errors.
  using Done = std::function<void(StatusOr<std::optional<Event>>)>;

  virtual ~Subscription() = default;

  // Passes the next event to `done`: at once and on the calling thread if there is an event,
  // otherwise later on the queue's thread. `done` must not block; it may call next() again. At most
  // one call waits at a time. After the end or an error, every further call returns the same
  // result.
  virtual void next(Done done) = 0;

  // Ends the subscription: a waiting `done` receives CANCELLED. Repeated calls are harmless.
  virtual void cancel() = 0;
};

}  // namespace weft::queue
