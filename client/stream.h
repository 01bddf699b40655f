// SPDX-License-Identifier: Apache-2.0
// Sends frames to a stream and receives its pictures. The samples travel through shared memory
// where possible, otherwise in messages.
//
//   ASSIGN_OR_RETURN(auto stream, FrameStream::open(connection, request));
//   one thread:  ASSIGN_OR_RETURN(auto samples, stream->stage());
//                ... fill the samples ...; RETURN_IF_ERROR(stream->push());
//                at the end RETURN_IF_ERROR(stream->finish());
//   another:     ASSIGN_OR_RETURN(auto picture, stream->pull());  // until it is nothing
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::client {

// The samples of one picture: planes without padding (stream_service.proto).
struct PulledPicture {
  v1::PictureFacts facts;
  std::span<const std::byte> samples;  // valid until the next pull()
};

// A stream with bounded queues in both directions. A single thread that pushes and never pulls
// blocks forever.
class FrameStream {
 public:
  // Opens a stream, by default for the user of this process. Errors are the daemon's or
  // is_unreachable(). The message of RESOURCE_EXHAUSTED states by how much the stream exceeds the
  // device's capacity.
  static StatusOr<std::unique_ptr<FrameStream>> open(std::shared_ptr<Connection> connection,
                                                     v1::OpenStream request);
  ~FrameStream();  // ends the call in any state

  const v1::StreamOpened& opened() const;
  bool shares_memory() const;

  // Functions for the pushing thread, one thread at a time. stage() blocks until a frame can be
  // written and returns the memory of the next frame, opened().frame_bytes() long. push() sends
  // this frame. After an error every call returns the same error.
  StatusOr<std::span<std::byte>> stage();
  Status push(const v1::FrameFacts& facts = {});
  // Ends the input; the pictures of the frames sent before can still be pulled.
  Status finish();

  // Functions for the pulling thread, one thread at a time. pull() blocks until the next picture in
  // order, or returns nothing after the last one. report() is available after the last picture.
  StatusOr<std::optional<PulledPicture>> pull();
  const v1::StreamReport& report() const;

  // Ends the call. Calls that block in other threads return CANCELLED. Thread-safe.
  void cancel();

 private:
  struct Parts;
  explicit FrameStream(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::client
