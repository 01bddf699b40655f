// SPDX-License-Identifier: Apache-2.0
// A stream of events that its reader pulls one by one, so that a reader that is slow or gone costs a bounded
// amount of memory.
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
  // An event; nullopt: the stream is at its end, all is told; an error: it ended early (see who made it).
  using Done = std::function<void(StatusOr<std::optional<Event>>)>;

  virtual ~Subscription() = default;

  // Hands the next event to `done`: at once, on the calling thread, when there is one, else later on the
  // queue's thread. `done` must not block; it may call next again. At most one call waits at a time. After an
  // end or an error every further call gets the same.
  virtual void next(Done done) = 0;

  // Ends it: a waiting `done` gets CANCELLED. Harmless when repeated.
  virtual void cancel() = 0;
};

}  // namespace weft::queue
