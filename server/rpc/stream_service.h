// SPDX-License-Identifier: Apache-2.0
// Implements weft.v1.StreamService: each call is a stream, and passes messages to and from its
// session one at a time.
#pragma once

#include "server/rpc/callers.h"
#include "server/streams/streams.h"
#include "weft/v1/stream_service.grpc.pb.h"

namespace weft::rpc {

class StreamService final : public v1::StreamService::CallbackService {
 public:
  StreamService(streams::Streams& streams, const Callers& callers) : streams_(streams), callers_(callers) {}

  grpc::ServerBidiReactor<v1::ProcessFramesRequest, v1::ProcessFramesResponse>* ProcessFrames(
      grpc::CallbackServerContext* context) override;

 private:
  streams::Streams& streams_;
  const Callers& callers_;
};

}  // namespace weft::rpc
