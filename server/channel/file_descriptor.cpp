// SPDX-License-Identifier: Apache-2.0
#include "server/channel/file_descriptor.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weft::channel {

void FileDescriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

StatusOr<FileDescriptor> duplicate(int fd) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return unavailable("A file descriptor ({}) cannot be duplicated: {}.", fd, std::strerror(errno));
  return FileDescriptor(copy);
}

StatusOr<std::pair<FileDescriptor, FileDescriptor>> make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return unavailable("A socket pair cannot be made: {}.", std::strerror(errno));
  return std::pair(FileDescriptor(ends[0]), FileDescriptor(ends[1]));
}

Status keep_over_exec(int fd) {
  if (::fcntl(fd, F_SETFD, 0) != 0)
    return unavailable("A file descriptor ({}) cannot be kept over exec: {}.", fd, std::strerror(errno));
  return ok_status();
}

ssize_t send_with_descriptors(int socket, std::span<const char> bytes, std::span<const int> descriptors) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};  // sendmsg() only reads the bytes
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  if (descriptors.size() > kMaxDescriptors) {
    errno = EINVAL;
    return -1;
  }
  if (!descriptors.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  return ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace weft::channel
