// SPDX-License-Identifier: Apache-2.0
#include "client/shared_ring.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace weft::client {
namespace {

constexpr timeval kPatience{2, 0};  // time limit for the daemon's answer

class Closer {
 public:
  explicit Closer(int fd) : fd_(fd) {}
  ~Closer() {
    if (fd_ >= 0) ::close(fd_);
  }
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

// Receives the descriptor that arrives with the one-byte answer. Returns -1 if there is none.
int receive_descriptor(int socket) {
  char byte = 0;
  iovec bytes{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  if (::recvmsg(socket, &header, MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* rights = CMSG_FIRSTHDR(&header);
  if (rights == nullptr || rights->cmsg_type != SCM_RIGHTS || rights->cmsg_len != CMSG_LEN(sizeof(int)))
    return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(rights), sizeof(int));
  return descriptor;
}

StatusOr<int> ask(const v1::StreamRing& offer) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (offer.socket().size() >= sizeof(name.sun_path)) return unavailable("The socket's path is too long.");
  std::memcpy(name.sun_path, offer.socket().data(), offer.socket().size());
  const Closer socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return unavailable("A socket cannot be made: {}.", std::strerror(errno));
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0)
    return unavailable("No memory is shared at {}: {}.", offer.socket(), std::strerror(errno));
  const std::string& token = offer.token();
  if (::send(socket.get(), token.data(), token.size(), MSG_NOSIGNAL) != ssize_t(token.size()))
    return unavailable("The token cannot be sent to {}: {}.", offer.socket(), std::strerror(errno));
  const int descriptor = receive_descriptor(socket.get());
  if (descriptor < 0) return unavailable("The daemon provides no memory at {}.", offer.socket());
  return descriptor;
}

}  // namespace

StatusOr<std::unique_ptr<SharedRing>> SharedRing::map(const v1::StreamRing& offer) {
  const int64_t wanted =
      offer.frame_slots() * offer.frame_slot_bytes() + offer.picture_slots() * offer.picture_slot_bytes();
  ASSIGN_OR_RETURN(const int descriptor, ask(offer));
  const Closer memory(descriptor);
  struct stat info {};
  if (::fstat(memory.get(), &info) != 0 || info.st_size < offer.bytes() || offer.bytes() < wanted ||
      wanted <= 0)
    return data_loss("The memory that the daemon shares has a wrong size ({} bytes instead of {}).",
                     info.st_size, offer.bytes());
  void* data = ::mmap(nullptr, size_t(offer.bytes()), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (data == MAP_FAILED)
    return resource_exhausted("The shared memory cannot be mapped: {}.", std::strerror(errno));
  return std::unique_ptr<SharedRing>(new SharedRing(offer, static_cast<std::byte*>(data)));
}

SharedRing::~SharedRing() { ::munmap(data_, size_t(offer_.bytes())); }

}  // namespace weft::client
