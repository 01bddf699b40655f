// SPDX-License-Identifier: Apache-2.0
// Implements weft.v1.PictureService: sends a picture's description, then its samples in chunks.
#pragma once

#include "server/queue/queue.h"
#include "server/queue/supervision/pictures.h"
#include "server/rpc/callers.h"
#include "weft/v1/picture_service.grpc.pb.h"

namespace weft::rpc {

inline constexpr int64_t kPictureChunkBytes = 1 << 20;

class PictureService final : public v1::PictureService::CallbackService {
 public:
  PictureService(queue::Queue& queue, queue::Pictures& pictures, const Callers& callers)
      : queue_(queue), pictures_(pictures), callers_(callers) {}

  grpc::ServerWriteReactor<v1::ReadPictureResponse>* ReadPicture(
      grpc::CallbackServerContext* context, const v1::ReadPictureRequest* request) override;

 private:
  queue::Queue& queue_;
  queue::Pictures& pictures_;
  const Callers& callers_;
};

}  // namespace weft::rpc
