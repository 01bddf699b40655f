// SPDX-License-Identifier: Apache-2.0
// Timelines; the worker of each device keeps the newest part.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "weft/v1/trace_service.pb.h"

namespace weft::queue {

using TracePieces = std::vector<v1::ReadTraceResponse>;
using TraceDone = std::function<void(StatusOr<TracePieces>)>;

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // Asks the worker of the device. `job_id`: whole; empty: all events. Returns at once; `done` is called once, on any thread. A job
  // without events has no lanes. NOT_FOUND: no such device; UNAVAILABLE: no worker that answers; RESOURCE_EXHAUSTED: too many ask.
  virtual void read_trace(std::string_view device, std::string job_id, TraceDone done) = 0;
};

}  // namespace weft::queue
