// SPDX-License-Identifier: Apache-2.0
// Transfers Protobuf messages and open files between the daemon and a worker, over a connected Unix
// stream socket.
//
//   ASSIGN_OR_RETURN(auto ends, make_socket_pair());
//   Channel channel(std::move(ends.first));
//   RETURN_IF_ERROR(channel.send(start_job, {input.get(), folder.get()}, std::chrono::seconds(5)));
//   FromWorker answer;
//   RETURN_IF_ERROR(channel.receive(answer, nullptr, std::chrono::seconds(5)));
//
// A frame on the wire is: magic, payload bytes, descriptor count (three 32-bit words in native
// order, as both ends are on one machine), then the serialised message. Descriptors travel with the
// frame's first byte.
//
// An error ends a channel and is returned by all later calls. UNAVAILABLE: the peer closed the
// connection or died. DATA_LOSS: the received bytes are not a frame or not the message. INTERNAL:
// the socket fails. DEADLINE_EXCEEDED of send() ends the channel, since half a frame may have been
// sent; DEADLINE_EXCEEDED of receive() does not.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <google/protobuf/message_lite.h>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"

namespace weft::channel {

inline constexpr size_t kMaxMessageBytes = size_t{16} << 20;
// bytes that were posted and that the socket has not accepted yet
inline constexpr size_t kMaxPendingBytes = size_t{64} << 20;

// Any thread may send; one thread at a time may receive, concurrently with sending.
class Channel final {
 public:
  // Creates a channel over `socket`, one end of make_socket_pair().
  explicit Channel(FileDescriptor socket);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Returns the socket for poll() or epoll. When it is readable, call try_receive() until that
  // returns false. When it is writable and has_pending() is true, call flush().
  int descriptor() const { return socket_.get(); }

  // Sends a message and blocks until the socket has accepted all bytes. The caller keeps the
  // descriptors. INVALID_ARGUMENT (nothing was sent): the message is larger than kMaxMessageBytes,
  // or the descriptors are more than kMaxDescriptors.
  Status send(const google::protobuf::MessageLite& message, std::span<const int> descriptors,
              Duration timeout);
  Status send(const google::protobuf::MessageLite& message, std::initializer_list<int> descriptors,
              Duration timeout) {
    return send(message, std::span(descriptors.begin(), descriptors.size()), timeout);
  }

  // Sends a message without blocking: bytes that the socket does not accept now wait for flush().
  // The descriptors are duplicated, unless `owner` holds them open; `owner` is released once they
  // are sent. (Closing a duplicate would wait for a hanging file system.) RESOURCE_EXHAUSTED
  // (nothing was sent): kMaxPendingBytes wait already, since the peer does not read.
  Status post(const google::protobuf::MessageLite& message, std::span<const int> descriptors = {},
              std::shared_ptr<const void> owner = nullptr);
  Status flush();
  bool has_pending() const;

  // Receives the next message and stores its descriptors in `descriptors`; if that is null, they
  // are closed. DEADLINE_EXCEEDED: no message arrived in time. A zero timeout only polls.
  Status receive(google::protobuf::MessageLite& message, std::vector<FileDescriptor>* descriptors,
                 Duration timeout);
  // Receives the next message without blocking. Returns false if no complete message has arrived.
  // One event of epoll may announce several messages.
  StatusOr<bool> try_receive(google::protobuf::MessageLite& message,
                             std::vector<FileDescriptor>* descriptors);

 private:
  struct Frame {
    std::string bytes;
    size_t sent = 0;
    std::vector<int> descriptors;  // not yet sent
    // those of `descriptors` that are duplicates and are closed with the frame
    std::vector<FileDescriptor> copies;
    std::shared_ptr<const void> owner;  // holder of descriptors that are not duplicated
  };

  StatusOr<Frame> make_frame(const google::protobuf::MessageLite& message, std::span<const int> descriptors,
                             std::shared_ptr<const void> owner) const;
  // Returns true if all bytes were sent. The caller holds send_mutex_.
  StatusOr<bool> write_pending();
  StatusOr<bool> write_some(Frame& frame);
  StatusOr<bool> take_message(google::protobuf::MessageLite& message,
                              std::vector<FileDescriptor>* descriptors);
  StatusOr<bool> read_some();  // Returns false if no bytes were available.
  Status take_descriptors(void* header);

  const FileDescriptor socket_;

  mutable std::mutex send_mutex_;
  std::deque<Frame> pending_;
  size_t pending_bytes_ = 0;
  Status send_error_;

  std::string received_;  // received bytes; those from consumed_ on are not yet parsed
  size_t consumed_ = 0;
  std::deque<FileDescriptor> received_descriptors_;
  Status receive_error_;
};

}  // namespace weft::channel
