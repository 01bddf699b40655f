// SPDX-License-Identifier: Apache-2.0
// Timelines of jobs and devices, and their form as Chrome trace events.
#pragma once

#include <stop_token>
#include <string>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/trace_service.pb.h"

namespace weft::client {

// The pieces as one. Blocks until it is there or `stop` is requested (CANCELLED). Errors are the daemon's (trace_service.proto), or
// is_unreachable() ones.
StatusOr<v1::ReadTraceResponse> read_trace(Connection& connection, const v1::ReadTraceRequest& request,
                                           const std::stop_token& stop = {});

// Chrome's trace event format, as a JSON object that Perfetto and chrome://tracing open: complete events (X) for work, waits and
// decisions, metadata (M) for names, counters (C) for the units on the device. Times are in microseconds since the first event. A job,
// a stream and the device's schedule are a process each, their lanes are threads.
std::string chrome_trace(const v1::ReadTraceResponse& trace);

}  // namespace weft::client
