// SPDX-License-Identifier: Apache-2.0
// Owns an open file descriptor and closes it on destruction.
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
  explicit FileDescriptor(int fd) : fd_(fd) {}  // takes ownership of `fd`; -1 means no descriptor
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Releases the descriptor; the caller then has to close it.
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// Duplicates a descriptor of an open file. The duplicate is close-on-exec.
StatusOr<FileDescriptor> duplicate(int fd);

// Creates two connected Unix stream sockets, both close-on-exec: one for each end of a channel.
// keep_over_exec() clears that flag of the end that a child process inherits.
StatusOr<std::pair<FileDescriptor, FileDescriptor>> make_socket_pair();
Status keep_over_exec(int fd);

inline constexpr size_t kMaxDescriptors = 16;  // per message
// Sends bytes by one sendmsg() that does not block, with open files (at most kMaxDescriptors)
// attached to the first byte. Returns the number of accepted bytes, or -1 with the error in errno.
// The caller keeps the descriptors.
ssize_t send_with_descriptors(int socket, std::span<const char> bytes, std::span<const int> descriptors);

}  // namespace weft::channel
