// SPDX-License-Identifier: Apache-2.0
#include "server/streams/ring_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "server/streams/limits.h"

namespace weft::streams {
namespace {

using channel::FileDescriptor;

constexpr int kBacklog = 64;

}  // namespace

StatusOr<std::unique_ptr<RingSocket>> RingSocket::listen(queue::EventLoop& loop, std::string path,
                                                         mode_t mode, const Clock& clock, Find find) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path))
    return invalid_argument(
        "The path of the socket for shared memory is too long ({} bytes, at most {}): {}.", path.size(),
        sizeof(name.sun_path) - 1, path);
  std::memcpy(name.sun_path, path.data(), path.size());
  // This daemon holds the lock of its own socket, so the file at the path belongs to a daemon that
  // has ended.
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ::unlink(path.c_str());
  if (!socket.is_open() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0 ||
      ::chmod(path.c_str(), mode) != 0 || ::listen(socket.get(), kBacklog) != 0)
    return unavailable("The socket for shared memory cannot be made ({}): {}.", path, std::strerror(errno));
  return std::unique_ptr<RingSocket>(
      new RingSocket(loop, std::move(path), std::move(socket), clock, std::move(find)));
}

RingSocket::RingSocket(queue::EventLoop& loop, std::string path, FileDescriptor socket, const Clock& clock,
                       Find find)
    : loop_(loop), path_(std::move(path)), socket_(std::move(socket)), clock_(clock), find_(std::move(find)) {
  loop_.watch(socket_.get(), EPOLLIN, [this](uint32_t) { accept(); });
}

RingSocket::~RingSocket() {
  while (!connections_.empty()) close(connections_.front().socket.get());
  loop_.unwatch(socket_.get());
  ::unlink(path_.c_str());
}

void RingSocket::accept() {
  const int fd = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  if (int(connections_.size()) >= kMaxWaitingForRings) close(connections_.front().socket.get());
  connections_.push_back({FileDescriptor(fd), clock_.now()});
  loop_.watch(fd, EPOLLIN, [this, fd](uint32_t) { answer(fd); });
}

// Reads a token and replies with the descriptor. The token arrives complete or not at all, since
// sockets do not split a message of this size.
void RingSocket::answer(int fd) {
  char bytes[kTokenBytes];
  const ssize_t got = ::recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got == ssize_t(sizeof(bytes))) {
    const StatusOr<FileDescriptor> ring = find_(std::string(bytes, sizeof(bytes)));
    if (ring.ok()) {
      const int descriptor = ring->get();
      // One byte carries the descriptor. A new socket has space for it; sending fails only if the
      // client has closed its side.
      static_cast<void>(channel::send_with_descriptors(fd, std::span("r", 1), std::span(&descriptor, 1)));
    } else {
      log_debug("The memory of a stream is asked for and not given: {}", message_of(ring.status()));
    }
  }
  close(fd);
}

void RingSocket::close(int fd) {
  loop_.unwatch(fd);
  connections_.remove_if([fd](const Connection& each) { return each.socket.get() == fd; });
}

void RingSocket::tick() {
  const TimePoint latest = clock_.now() - kLongestRingRequest;
  while (!connections_.empty() && connections_.front().since < latest)
    close(connections_.front().socket.get());
}

}  // namespace weft::streams
