// SPDX-License-Identifier: Apache-2.0
// Timelines of jobs and devices.
#pragma once

#include "server/queue/queue.h"
#include "server/queue/records/traces.h"
#include "weft/v1/trace_service.grpc.pb.h"

namespace weft::rpc {

class TraceService final : public v1::TraceService::CallbackService {
 public:
  // Both outlive the service.
  TraceService(queue::Queue& queue, queue::TraceReader& traces) : queue_(queue), traces_(traces) {}

  grpc::ServerWriteReactor<v1::ReadTraceResponse>* ReadTrace(grpc::CallbackServerContext* context,
                                                             const v1::ReadTraceRequest* request) override;

 private:
  queue::Queue& queue_;
  queue::TraceReader& traces_;
};

}  // namespace weft::rpc
