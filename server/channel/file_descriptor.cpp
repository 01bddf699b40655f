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

}  // namespace weft::channel
