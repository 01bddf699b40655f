// SPDX-License-Identifier: Apache-2.0
// A stream: frames in, pictures out. Hides how samples travel: through shared memory where the daemon can share it with
// this process, else in messages.
//
//   ASSIGN_OR_RETURN(auto stream, FrameStream::open(connection, request));
//   one thread:  ASSIGN_OR_RETURN(auto samples, stream->stage()); ... fill ...; RETURN_IF_ERROR(stream->push());
//                at the end RETURN_IF_ERROR(stream->finish());
//   another:     while (true) { ASSIGN_OR_RETURN(auto picture, stream->pull()); if (!picture) break; ... }
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::client {

// Samples of one picture, planes without gaps (stream_service.proto).
struct PulledPicture {
  v1::PictureFacts facts;
  std::span<const std::byte> samples;  // until the next pull()
};

// Frames and pictures are bounded on both sides: who pushes and never pulls, in the same thread, waits for ever.
class FrameStream {
 public:
  // Opens the stream in the name of this process's user unless an owner is given. Errors are the daemon's (what cannot be
  // kept is RESOURCE_EXHAUSTED with the numbers), or is_unreachable() ones.
  static StatusOr<std::unique_ptr<FrameStream>> open(std::shared_ptr<Connection> connection,
                                                     v1::OpenStream request);
  ~FrameStream();  // ends the call, wherever it is

  const v1::StreamOpened& opened() const;
  bool shares_memory() const;

  // Pushing: one thread at a time. stage() waits for room and gives where the next frame's samples go, all of
  // opened().frame_bytes(); push() sends them. After an error every call gives the same.
  StatusOr<std::span<std::byte>> stage();
  Status push(const v1::FrameFacts& facts = {});
  // No more frames come.
  Status finish();

  // Pulling: one thread at a time. The next picture, in order; nothing: all were pulled, and report() is there.
  StatusOr<std::optional<PulledPicture>> pull();
  const v1::StreamReport& report() const;

  // Ends the call; every waiting call of another thread ends with CANCELLED. Any thread.
  void cancel();

 private:
  struct Parts;
  explicit FrameStream(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::client
