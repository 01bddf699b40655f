// SPDX-License-Identifier: Apache-2.0
#include "server/channel/status_message.h"

#include <cstdint>

namespace weft::channel {
namespace {

// Returns the bytes of the character that begins at `text[0]`, or 0 if no valid character begins
// there. RFC 3629: no overlong forms, no surrogates.
size_t character_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : 0; };
  const auto follows = [&](size_t i, int least = 0x80, int most = 0xBF) {
    return byte(i) >= least && byte(i) <= most;
  };
  const int first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const int least = first == 0xE0 ? 0xA0 : 0x80, most = first == 0xED ? 0x9F : 0xBF;
    return follows(1, least, most) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const int least = first == 0xF0 ? 0x90 : 0x80, most = first == 0xF4 ? 0x8F : 0xBF;
    return follows(1, least, most) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string as_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    if (bytes == 0) {
      result += '?';
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return result;
}

google::rpc::Status to_message(const Status& status) {
  google::rpc::Status message;
  message.set_code(int(status.code()));
  message.set_message(as_utf8(message_of(status)));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    google::protobuf::Any& detail = *message.add_details();
    detail.set_type_url(std::string(type));
    detail.set_value(std::string(payload));
  });
  return message;
}

Status to_status(const google::rpc::Status& message) {
  constexpr int kLastCode = int(StatusCode::kUnauthenticated);
  const bool known = message.code() >= 0 && message.code() <= kLastCode;
  Status status = make_status(known ? StatusCode(message.code()) : StatusCode::kUnknown, message.message());
  if (status.ok()) return status;
  for (const google::protobuf::Any& detail : message.details())
    status.SetPayload(absl::string_view(detail.type_url().data(), detail.type_url().size()),
                      absl::Cord(detail.value()));
  return status;
}

}  // namespace weft::channel
