// SPDX-License-Identifier: Apache-2.0
// Sends the shared memory of streams over a Unix socket, since gRPC cannot transfer file
// descriptors. A client sends its token and receives a descriptor (docs/decisions).
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>

#include <sys/types.h>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/supervision/event_loop.h"

namespace weft::streams {

inline constexpr size_t kTokenBytes = 16;

// A listening socket and its connections. Used on the loop's thread only.
class RingSocket {
 public:
  // Returns the descriptor for a token. Each token is valid once.
  using Find = std::function<StatusOr<channel::FileDescriptor>(const std::string& token)>;

  // Listens at `path` and replaces the socket of a daemon that has ended. Returns an error if the
  // path cannot be used.
  static StatusOr<std::unique_ptr<RingSocket>> listen(queue::EventLoop& loop, std::string path, mode_t mode,
                                                      const Clock& clock, Find find);
  ~RingSocket();
  RingSocket(const RingSocket&) = delete;
  RingSocket& operator=(const RingSocket&) = delete;

  const std::string& path() const { return path_; }
  // Closes the connections that have sent no token for kLongestRingRequest.
  void tick();

 private:
  struct Connection {
    channel::FileDescriptor socket;
    TimePoint since;
  };

  RingSocket(queue::EventLoop& loop, std::string path, channel::FileDescriptor socket, const Clock& clock,
             Find find);
  void accept();
  void answer(int fd);
  void close(int fd);

  queue::EventLoop& loop_;
  const std::string path_;
  const channel::FileDescriptor socket_;
  const Clock& clock_;
  const Find find_;
  std::list<Connection> connections_;  // connections that have sent no token, oldest first
};

}  // namespace weft::streams
