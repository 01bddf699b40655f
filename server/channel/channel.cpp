// SPDX-License-Identifier: Apache-2.0
#include "server/channel/channel.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>

namespace weft::channel {
namespace {

constexpr uint32_t kMagic = 0x54464557;  // "WEFT" in memory
constexpr size_t kReadBytes = size_t{64} << 10;
constexpr size_t kControlDescriptors = 64;  // limit of the descriptors of one read

struct Header {
  uint32_t magic = kMagic;
  uint32_t payload_bytes = 0;
  uint32_t descriptors = 0;
};

Status peer_is_gone() {
  return unavailable("The other end of the channel is closed; its process has ended.");
}

Status socket_error(std::string_view what, int error) {
  if (error == EPIPE || error == ECONNRESET) return peer_is_gone();
  return internal_error("The channel's socket fails to {}: {}.", what, std::strerror(error));
}

TimePoint now() { return std::chrono::steady_clock::now(); }

// Blocks until one of `events` is possible on the socket. Returns false if the deadline has passed.
StatusOr<bool> wait_for(int socket, short events, TimePoint deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now());
    pollfd entry{socket, events, 0};
    const int timeout_ms = int(std::clamp<int64_t>(left.count(), 0, 1'000'000));
    const int ready = ::poll(&entry, 1, timeout_ms);
    if (ready > 0) return true;
    if (ready == 0 && now() >= deadline) return false;
    if (ready < 0 && errno != EINTR) return socket_error("be waited for", errno);
  }
}

// Returns steady_clock::now() + timeout without overflow; Duration::max() gives no deadline.
TimePoint deadline_after(Duration timeout) {
  const TimePoint start = now();
  return timeout > TimePoint::max() - start ? TimePoint::max() : start + timeout;
}

}  // namespace

Channel::Channel(FileDescriptor socket) : socket_(std::move(socket)) {}

StatusOr<Channel::Frame> Channel::make_frame(const google::protobuf::MessageLite& message,
                                             std::span<const int> descriptors,
                                             std::shared_ptr<const void> owner) const {
  const size_t bytes = message.ByteSizeLong();
  if (bytes > kMaxMessageBytes)
    return invalid_argument("A message is too large for the channel ({} bytes, at most {}).", bytes,
                            kMaxMessageBytes);
  if (descriptors.size() > kMaxDescriptors)
    return invalid_argument("A message carries too many file descriptors ({}, at most {}).",
                            descriptors.size(), kMaxDescriptors);
  Frame frame;
  if (owner != nullptr) frame.descriptors.assign(descriptors.begin(), descriptors.end());
  for (const int fd : owner != nullptr ? std::span<const int>() : descriptors) {
    ASSIGN_OR_RETURN(FileDescriptor copy, duplicate(fd));
    frame.descriptors.push_back(copy.get());
    frame.copies.push_back(std::move(copy));
  }
  frame.owner = std::move(owner);
  const Header header{kMagic, uint32_t(bytes), uint32_t(descriptors.size())};
  frame.bytes.resize(sizeof(header) + bytes);
  std::memcpy(frame.bytes.data(), &header, sizeof(header));
  if (!message.SerializeToArray(frame.bytes.data() + sizeof(header), int(bytes)))
    return internal_error("A message of the channel cannot be serialised ({}).", message.GetTypeName());
  return frame;
}

Status Channel::send(const google::protobuf::MessageLite& message, std::span<const int> descriptors,
                     Duration timeout) {
  ASSIGN_OR_RETURN(Frame frame, make_frame(message, descriptors, nullptr));
  const TimePoint deadline = deadline_after(timeout);
  const std::lock_guard lock(send_mutex_);
  RETURN_IF_ERROR(send_error_);
  pending_bytes_ += frame.bytes.size();
  pending_.push_back(std::move(frame));
  while (true) {
    ASSIGN_OR_RETURN(const bool all_out, write_pending());
    if (all_out) return ok_status();
    ASSIGN_OR_RETURN(const bool writable, wait_for(socket_.get(), POLLOUT, deadline));
    if (!writable) {
      send_error_ = deadline_exceeded("The other end of the channel does not read (waited {} ms).",
                                      std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
      return send_error_;
    }
  }
}

Status Channel::post(const google::protobuf::MessageLite& message, std::span<const int> descriptors,
                     std::shared_ptr<const void> owner) {
  ASSIGN_OR_RETURN(Frame frame, make_frame(message, descriptors, std::move(owner)));
  const std::lock_guard lock(send_mutex_);
  RETURN_IF_ERROR(send_error_);
  if (pending_bytes_ + frame.bytes.size() > kMaxPendingBytes)
    return resource_exhausted("The other end of the channel does not read ({} bytes wait, at most {}).",
                              pending_bytes_, kMaxPendingBytes);
  pending_bytes_ += frame.bytes.size();
  pending_.push_back(std::move(frame));
  return write_pending().status();
}

Status Channel::flush() {
  const std::lock_guard lock(send_mutex_);
  RETURN_IF_ERROR(send_error_);
  return write_pending().status();
}

bool Channel::has_pending() const {
  const std::lock_guard lock(send_mutex_);
  return !pending_.empty() && send_error_.ok();
}

StatusOr<bool> Channel::write_pending() {
  while (!pending_.empty()) {
    Frame& frame = pending_.front();
    StatusOr<bool> progress = write_some(frame);
    if (!progress.ok()) {
      send_error_ = progress.status();
      return send_error_;
    }
    if (!*progress) return false;
    if (frame.sent < frame.bytes.size()) continue;
    pending_bytes_ -= frame.bytes.size();
    pending_.pop_front();
  }
  return true;
}

// Returns false if the socket is full.
StatusOr<bool> Channel::write_some(Frame& frame) {
  const ssize_t sent =
      send_with_descriptors(socket_.get(), std::span(frame.bytes).subspan(frame.sent), frame.descriptors);
  if (sent < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
    if (errno == EINTR) return true;
    return socket_error("send", errno);
  }
  frame.descriptors.clear();  // sent with the first byte
  frame.copies.clear();
  frame.owner.reset();
  frame.sent += size_t(sent);
  return true;
}

Status Channel::receive(google::protobuf::MessageLite& message, std::vector<FileDescriptor>* descriptors,
                        Duration timeout) {
  const TimePoint deadline = deadline_after(timeout);
  while (true) {
    ASSIGN_OR_RETURN(const bool complete, try_receive(message, descriptors));
    if (complete) return ok_status();
    ASSIGN_OR_RETURN(const bool readable, wait_for(socket_.get(), POLLIN, deadline));
    if (!readable)
      return deadline_exceeded("No message comes from the other end of the channel (waited {} ms).",
                               std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
  }
}

StatusOr<bool> Channel::try_receive(google::protobuf::MessageLite& message,
                                    std::vector<FileDescriptor>* descriptors) {
  if (descriptors != nullptr) descriptors->clear();
  RETURN_IF_ERROR(receive_error_);
  while (true) {
    StatusOr<bool> step = take_message(message, descriptors);
    if (step.ok() && *step) return true;
    if (step.ok()) step = read_some();
    if (!step.ok()) {
      receive_error_ = step.status();
      received_descriptors_.clear();
      return receive_error_;
    }
    if (!*step) return false;
  }
}

StatusOr<bool> Channel::take_message(google::protobuf::MessageLite& message,
                                     std::vector<FileDescriptor>* descriptors) {
  Header header;
  const size_t there = received_.size() - consumed_;
  if (there < sizeof(header)) return false;
  std::memcpy(&header, received_.data() + consumed_, sizeof(header));
  if (header.magic != kMagic || header.payload_bytes > kMaxMessageBytes ||
      header.descriptors > kMaxDescriptors)
    return data_loss(
        "The channel carries something that is not a frame (magic {:#x}, {} bytes, {} descriptors).",
        header.magic, header.payload_bytes, header.descriptors);
  if (there < sizeof(header) + header.payload_bytes) return false;
  if (received_descriptors_.size() < header.descriptors)
    return data_loss("A message came without its file descriptors ({} of {}).", received_descriptors_.size(),
                     header.descriptors);
  if (!message.ParseFromArray(received_.data() + consumed_ + sizeof(header), int(header.payload_bytes)))
    return data_loss("A message of the channel cannot be read as {} ({} bytes).", message.GetTypeName(),
                     header.payload_bytes);
  for (uint32_t i = 0; i < header.descriptors; i++) {
    if (descriptors != nullptr) descriptors->push_back(std::move(received_descriptors_.front()));
    received_descriptors_.pop_front();
  }
  consumed_ += sizeof(header) + header.payload_bytes;
  if (consumed_ == received_.size()) {
    received_.clear();
    consumed_ = 0;
  }
  return true;
}

StatusOr<bool> Channel::read_some() {
  received_.erase(0, consumed_);
  consumed_ = 0;
  const size_t before = received_.size();
  received_.resize(before + kReadBytes);
  iovec bytes{received_.data() + before, kReadBytes};
  alignas(cmsghdr) char control[CMSG_SPACE(kControlDescriptors * sizeof(int))];
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  const ssize_t got = ::recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  const int error = errno;
  received_.resize(before + size_t(std::max<ssize_t>(got, 0)));
  if (got < 0) {
    if (error == EAGAIN || error == EWOULDBLOCK) return false;
    if (error == EINTR) return true;
    return socket_error("receive", error);
  }
  RETURN_IF_ERROR(take_descriptors(&header));
  if (got > 0) return true;
  if (received_.empty()) return peer_is_gone();
  return data_loss("The channel ends inside a message ({} bytes of it came); the other process has ended.",
                   received_.size());
}

Status Channel::take_descriptors(void* message_header) {
  auto* header = static_cast<msghdr*>(message_header);
  for (cmsghdr* entry = CMSG_FIRSTHDR(header); entry != nullptr; entry = CMSG_NXTHDR(header, entry)) {
    if (entry->cmsg_level != SOL_SOCKET || entry->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (entry->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(entry) + i * sizeof(int), sizeof(int));
      received_descriptors_.emplace_back(fd);
    }
  }
  if ((header->msg_flags & MSG_CTRUNC) != 0)
    return data_loss("File descriptors were lost on the channel; this process may have too many open files.");
  return ok_status();
}

}  // namespace weft::channel
