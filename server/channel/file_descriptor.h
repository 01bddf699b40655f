// SPDX-License-Identifier: Apache-2.0
// An open file descriptor that is closed with its owner.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <sys/types.h>

#include "base/status.h"

namespace weft::channel {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}  // takes it over; -1: none
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Gives it away; the caller closes it.
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// The same open file under a second descriptor, close-on-exec.
StatusOr<FileDescriptor> duplicate(int fd);

// Two connected Unix stream sockets, close-on-exec: one end for each side of a channel. The end that a child
// process is to inherit loses the flag with keep_over_exec.
StatusOr<std::pair<FileDescriptor, FileDescriptor>> make_socket_pair();
Status keep_over_exec(int fd);

inline constexpr size_t kMaxDescriptors = 16;  // with one message
// One sendmsg that does not block: bytes, and open files (kMaxDescriptors at most) beside the first of them. The bytes that the
// socket took; -1: errno says why. The descriptors stay the caller's.
ssize_t send_with_descriptors(int socket, std::span<const char> bytes, std::span<const int> descriptors);

}  // namespace weft::channel
