// SPDX-License-Identifier: Apache-2.0
// Holds the requests for timelines that one worker has not answered yet. Used on the loop of the
// worker's device.
#pragma once

#include <list>
#include <string>

#include "base/clock.h"
#include "server/queue/records/traces.h"
#include "server/queue/supervision/worker_process.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::queue {

inline constexpr size_t kMaxTraceRequests = 4;  // waiting requests of one device
inline constexpr std::chrono::seconds kTraceRequestTimeout{10};

class TraceRequests {
 public:
  explicit TraceRequests(std::string device) : device_(std::move(device)) {}

  // Sends a request. `worker` is null if there is none.
  void ask(WorkerProcess* worker, std::string job_id, TimePoint now, TraceDone done);
  void on_answer(const internal::v1::TraceAnswer& answer);
  void check(TimePoint now);  // ends requests after kTraceRequestTimeout
  void lose_worker();

 private:
  struct Request {
    uint64_t number = 0;
    TimePoint since{};
    TraceChunks chunks;
    TraceDone done;
  };

  const std::string device_;
  uint64_t newest_ = 0;
  std::list<Request> requests_;
};

}  // namespace weft::queue
