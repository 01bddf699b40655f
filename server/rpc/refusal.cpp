// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/refusal.h"

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include <sys/socket.h>

namespace weft::rpc {
namespace {

constexpr std::string_view kGreeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";  // RFC 9113, 3.4
constexpr size_t kFrameHeaderBytes = 9;  // RFC 9113, 4.1: length, type, flags, stream
constexpr char kHeadersType = 1;
constexpr char kSettingsType = 4;
constexpr char kEndStreamAndHeaders = 0x1 | 0x4;
// enough for a call's headers and a small request
constexpr size_t kMostReceivedBytes = size_t{64} << 10;
constexpr size_t kMostWordsBytes = 120;  // a length below 127 is one byte in HPACK (RFC 7541, 5.1)

std::string frame(char type, char flags, uint32_t stream, std::string_view payload) {
  std::string bytes;
  for (const int shift : {16, 8, 0}) bytes += char(payload.size() >> shift);
  bytes += type;
  bytes += flags;
  for (const int shift : {24, 16, 8, 0}) bytes += char(stream >> shift);
  return bytes.append(payload);
}

// Returns a literal header field without indexing (RFC 7541, 6.2.2).
std::string header(std::string_view name, std::string_view value) {
  std::string bytes(1, '\0');
  for (const std::string_view text : {name, value}) {
    bytes += char(text.size());
    bytes += text;
  }
  return bytes;
}

uint32_t number_at(std::string_view bytes, size_t at, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; i++) number = number << 8 | uint8_t(bytes[at + i]);
  return number;
}

}  // namespace

std::string refusal_frame(uint32_t stream, const Status& why) {
  constexpr char kStatus200 = char(0x88);  // ":status: 200" (RFC 7541, appendix A)
  const std::string words = message_of(why).substr(0, kMostWordsBytes);
  std::string headers(1, kStatus200);
  headers += header("content-type", "application/grpc");
  headers += header("grpc-status", std::to_string(int(why.code())));
  headers += header("grpc-message", words);
  return frame(kHeadersType, kEndStreamAndHeaders, stream, headers);
}

Refusal::Refusal(channel::FileDescriptor connection, Status why, TimePoint until)
    : connection_(std::move(connection)), why_(std::move(why)), until_(until) {
  const std::string settings = frame(kSettingsType, 0, 0, "");
  static_cast<void>(::send(connection_.get(), settings.data(), settings.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

bool Refusal::go_on() {
  char chunk[4096];
  const ssize_t count = ::recv(connection_.get(), chunk, sizeof(chunk), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  if (is_sent_)
    // Keeps reading until the client closes the connection: closing it earlier could discard the
    // answer.
    return true;
  received_.append(chunk, size_t(count));
  return received_.size() <= kMostReceivedBytes && read_frames();
}

bool Refusal::read_frames() {
  if (!is_greeted_) {
    if (received_.size() < kGreeting.size()) return true;
    if (!received_.starts_with(kGreeting)) return false;
    received_.erase(0, kGreeting.size());
    is_greeted_ = true;
  }
  while (received_.size() >= kFrameHeaderBytes) {
    const size_t length = number_at(received_, 0, 3);
    if (received_[3] == kHeadersType) {
      const std::string answer = refusal_frame(number_at(received_, 5, 4) & 0x7fffffff, why_);
      const ssize_t sent =
          ::send(connection_.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::shutdown(connection_.get(), SHUT_WR);
      is_sent_ = true;
      return sent == ssize_t(answer.size());
    }
    if (received_.size() < kFrameHeaderBytes + length) return true;
    received_.erase(0, kFrameHeaderBytes + length);
  }
  return true;
}

}  // namespace weft::rpc
