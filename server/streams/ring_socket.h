// SPDX-License-Identifier: Apache-2.0
// The Unix socket that hands out the memory of streams: a client sends its token and receives a descriptor. gRPC cannot
// carry descriptors; docs/decisions says why it is done like this.
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

// Lives on the loop's thread.
class RingSocket {
 public:
  // Gives the descriptor that belongs to a token, once.
  using Find = std::function<StatusOr<channel::FileDescriptor>(const std::string& token)>;

  // Listens at `path`, taking the place of what a dead daemon left there. Errors: the path cannot be used.
  static StatusOr<std::unique_ptr<RingSocket>> listen(queue::EventLoop& loop, std::string path, mode_t mode,
                                                      const Clock& clock, Find find);
  ~RingSocket();
  RingSocket(const RingSocket&) = delete;
  RingSocket& operator=(const RingSocket&) = delete;

  const std::string& path() const { return path_; }
  // Closes connections that have sent nothing for too long.
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
  std::list<Connection> connections_;  // that have not sent a token yet, oldest first
};

}  // namespace weft::streams
