// SPDX-License-Identifier: Apache-2.0
// Reads timelines of devices. The worker of each device keeps the newest part.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "weft/v1/trace_service.pb.h"

namespace weft::queue {

using TraceChunks = std::vector<v1::ReadTraceResponse>;
using TraceDone = std::function<void(StatusOr<TraceChunks>)>;

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // Requests the timeline from the device's worker. `job_id` is a full id; empty: all events.
  // Returns at once; `done` is called once, on any thread. The timeline of a job without events has
  // no lanes. NOT_FOUND: there is no such device. UNAVAILABLE: no worker answers.
  // RESOURCE_EXHAUSTED: there are too many requests.
  virtual void read_trace(std::string_view device, std::string job_id, TraceDone done) = 0;
};

}  // namespace weft::queue
