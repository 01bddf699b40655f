// SPDX-License-Identifier: Apache-2.0
// Implements weft.v1.TraceService: reads timelines of jobs and devices.
#pragma once

#include "server/queue/queue.h"
#include "server/queue/records/traces.h"
#include "weft/v1/trace_service.grpc.pb.h"

namespace weft::rpc {

class TraceService final : public v1::TraceService::CallbackService {
 public:
  // `queue` and `traces` outlive the service.
  TraceService(queue::Queue& queue, queue::TraceReader& traces) : queue_(queue), traces_(traces) {}

  grpc::ServerWriteReactor<v1::ReadTraceResponse>* ReadTrace(grpc::CallbackServerContext* context,
                                                             const v1::ReadTraceRequest* request) override;

 private:
  queue::Queue& queue_;
  queue::TraceReader& traces_;
};

}  // namespace weft::rpc
