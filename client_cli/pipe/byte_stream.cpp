// SPDX-License-Identifier: Apache-2.0
#include "client_cli/pipe/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

namespace weft::cli {
namespace {

constexpr size_t kReadAhead = 4096;  // bytes read at a time while searching for a newline

}  // namespace

DescriptorReader::DescriptorReader(int descriptor)
    : descriptor_(descriptor), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

DescriptorReader::~DescriptorReader() { ::close(wake_); }

void DescriptorReader::wake() {
  const uint64_t one = 1;
  static_cast<void>(!::write(wake_, &one, sizeof(one)));
}

StatusOr<size_t> DescriptorReader::read_some(std::byte* into, size_t bytes) {
  while (true) {
    pollfd ready[] = {{wake_, POLLIN, 0}, {descriptor_, POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR)
      return data_loss("The input cannot be waited for: {}.", std::strerror(errno));
    if ((ready[0].revents & POLLIN) != 0) return cancelled("The reading was ended.");
    if (ready[1].revents == 0) continue;
    const ssize_t got = ::read(descriptor_, into, bytes);
    if (got >= 0) return size_t(got);
    if (errno != EINTR && errno != EAGAIN)
      return data_loss("The input cannot be read: {}.", std::strerror(errno));
  }
}

StatusOr<std::string> DescriptorReader::read_line(size_t longest) {
  while (true) {
    const size_t newline = rest_.find('\n', rest_begin_);
    if (newline != std::string::npos && newline - rest_begin_ <= longest) {
      std::string line = rest_.substr(rest_begin_, newline - rest_begin_);
      rest_begin_ = newline + 1;
      return line;
    }
    if (rest_.size() - rest_begin_ > longest)
      return invalid_argument(
          "A line of the input does not end (at most {} bytes); it is not y4m, or of another size than it "
          "says.",
          longest);
    rest_.erase(0, rest_begin_);
    rest_begin_ = 0;
    const size_t there = rest_.size();
    rest_.resize(there + kReadAhead);
    const auto got = read_some(reinterpret_cast<std::byte*>(rest_.data()) + there, kReadAhead);
    rest_.resize(there + (got.ok() ? *got : 0));
    RETURN_IF_ERROR(got.status());
    if (*got == 0 && there == 0) return out_of_range("The input has ended.");
    if (*got == 0) return data_loss("The input ends within a line ({} bytes).", there);
  }
}

StatusOr<bool> DescriptorReader::at_end() {
  if (rest_begin_ < rest_.size()) return false;
  rest_.resize(kReadAhead);
  rest_begin_ = 0;
  const auto got = read_some(reinterpret_cast<std::byte*>(rest_.data()), kReadAhead);
  rest_.resize(got.ok() ? *got : 0);
  RETURN_IF_ERROR(got.status());
  return *got == 0;
}

Status DescriptorReader::read(std::span<std::byte> into) {
  const size_t wanted = into.size();
  const size_t ready = std::min(rest_.size() - rest_begin_, wanted);
  std::memcpy(into.data(), rest_.data() + rest_begin_, ready);
  rest_begin_ += ready;
  into = into.subspan(ready);
  while (!into.empty()) {
    ASSIGN_OR_RETURN(const size_t got, read_some(into.data(), into.size()));
    if (got == 0)
      return data_loss("The input ends within a frame ({} of {} bytes).", wanted - into.size(), wanted);
    into = into.subspan(got);
  }
  return ok_status();
}

Status write_whole(int descriptor, std::string_view head, std::span<const std::byte> body) {
  iovec parts[] = {{const_cast<char*>(head.data()), head.size()},
                   {const_cast<std::byte*>(body.data()), body.size()}};
  iovec* part = parts;
  while (part != std::end(parts)) {
    if (part->iov_len == 0) {
      part++;
      continue;
    }
    const ssize_t written = ::writev(descriptor, part, int(std::end(parts) - part));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (written < 0 && errno == EPIPE)
      return data_loss("The output is incomplete: its reader has closed the pipe.");
    if (written < 0)
      return data_loss("The output cannot be written: {}; check the disk.", std::strerror(errno));
    for (size_t left = size_t(written); left > 0;) {
      const size_t step = std::min(left, part->iov_len);
      part->iov_base = static_cast<char*>(part->iov_base) + step;
      part->iov_len -= step;
      left -= step;
      if (part->iov_len == 0) part++;
    }
  }
  return ok_status();
}

}  // namespace weft::cli
