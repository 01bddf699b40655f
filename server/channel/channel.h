// SPDX-License-Identifier: Apache-2.0
// Protobuf messages and open files between the daemon and a worker, over a connected Unix stream socket.
//
//   ASSIGN_OR_RETURN(auto ends, make_socket_pair());
//   Channel channel(std::move(ends.first));
//   RETURN_IF_ERROR(channel.send(start_job, {input.get(), folder.get()}, std::chrono::seconds(5)));
//   FromWorker answer;
//   RETURN_IF_ERROR(channel.receive(answer, nullptr, std::chrono::seconds(5)));
//
// On the wire a frame is: magic, payload bytes, descriptor count (three 32-bit words, native order: both ends
// are on one machine), then the serialised message; descriptors travel beside the frame's first byte.
//
// Errors end a channel: UNAVAILABLE, the peer is gone (a clean end, or its death); DATA_LOSS, what came is not
// a frame or not the message; INTERNAL, the socket fails; all stick. DEADLINE_EXCEEDED from receive() does not end it; from send() it does,
// since half a frame may be out.
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
inline constexpr size_t kMaxPendingBytes = size_t{64} << 20;  // posted and not yet taken by the socket

// Sending: any thread. Receiving: one thread at a time. The two do not disturb each other.
class Channel final {
 public:
  // `socket`: one end of make_socket_pair().
  explicit Channel(FileDescriptor socket);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // For poll and epoll: readable, call try_receive until it says false; writable while has_pending(), call flush.
  int descriptor() const { return socket_.get(); }

  // Sends, and waits until the socket has taken all of it. The descriptors stay the caller's.
  // INVALID_ARGUMENT (nothing was sent): larger than kMaxMessageBytes, or more than kMaxDescriptors.
  Status send(const google::protobuf::MessageLite& message, std::span<const int> descriptors,
              Duration timeout);
  Status send(const google::protobuf::MessageLite& message, std::initializer_list<int> descriptors,
              Duration timeout) {
    return send(message, std::span(descriptors.begin(), descriptors.size()), timeout);
  }

  // Never blocks: what the socket does not take now waits for flush(). The descriptors are duplicated; with `owner`, which has them
  // open, they are not, and it is let go when they are sent. (Closing a duplicate waits for a file system that hangs.)
  // RESOURCE_EXHAUSTED (nothing was sent): kMaxPendingBytes wait already; the peer does not read.
  Status post(const google::protobuf::MessageLite& message, std::span<const int> descriptors = {},
              std::shared_ptr<const void> owner = nullptr);
  Status flush();
  bool has_pending() const;

  // The next message. `descriptors` (may be null: they are closed) gets what came with it.
  // DEADLINE_EXCEEDED: none came in time; zero only looks.
  Status receive(google::protobuf::MessageLite& message, std::vector<FileDescriptor>* descriptors,
                 Duration timeout);
  // False: no whole message is there yet. One event of epoll may bring several messages.
  StatusOr<bool> try_receive(google::protobuf::MessageLite& message,
                             std::vector<FileDescriptor>* descriptors);

 private:
  struct Frame {
    std::string bytes;
    size_t sent = 0;
    std::vector<int> descriptors;        // not yet sent
    std::vector<FileDescriptor> copies;  // those of them that are the frame's own
    std::shared_ptr<const void> owner;   // of the others
  };

  StatusOr<Frame> make_frame(const google::protobuf::MessageLite& message, std::span<const int> descriptors,
                             std::shared_ptr<const void> owner) const;
  StatusOr<bool> write_pending();  // true: all is out; caller holds send_mutex_
  StatusOr<bool> write_some(Frame& frame);
  StatusOr<bool> take_message(google::protobuf::MessageLite& message,
                              std::vector<FileDescriptor>* descriptors);
  StatusOr<bool> read_some();  // false: nothing there
  Status take_descriptors(void* header);

  const FileDescriptor socket_;

  mutable std::mutex send_mutex_;
  std::deque<Frame> pending_;
  size_t pending_bytes_ = 0;
  Status send_error_;

  std::string received_;  // from consumed_ on not yet taken
  size_t consumed_ = 0;
  std::deque<FileDescriptor> received_descriptors_;
  Status receive_error_;
};

}  // namespace weft::channel
