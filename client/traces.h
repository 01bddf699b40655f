// SPDX-License-Identifier: Apache-2.0
// Reads timelines of jobs and devices and converts them to Chrome trace events.
#pragma once

#include <stop_token>
#include <string>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/trace_service.pb.h"

namespace weft::client {

// Reads a timeline and joins its parts. Blocks until the timeline is complete or `stop` is
// requested (CANCELLED). Errors are the daemon's (trace_service.proto) or is_unreachable().
StatusOr<v1::ReadTraceResponse> read_trace(Connection& connection, const v1::ReadTraceRequest& request,
                                           const std::stop_token& stop = {});

// Converts a timeline to Chrome's trace event format, a JSON object for Perfetto and
// chrome://tracing. Work, waits and decisions are complete events (X), names are metadata (M), and
// the units on the device are counters (C). Times are microseconds since the first event. A job, a
// stream and the device's schedule are processes; their lanes are threads.
std::string chrome_trace(const v1::ReadTraceResponse& trace);

}  // namespace weft::client
