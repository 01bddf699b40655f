// SPDX-License-Identifier: Apache-2.0
#include "server/media/encoder_session.h"

#include <atomic>
#include <string>

namespace weft::media {
namespace {

constexpr const char* kRefusedSession = "weft.refused-encoder-session";

std::atomic<int>& open_sessions() {
  static std::atomic<int> open{0};
  return open;
}

}  // namespace

EncoderSession::EncoderSession() { open_sessions()++; }
EncoderSession::~EncoderSession() { open_sessions()--; }
int EncoderSession::open() { return open_sessions(); }

Status refused_session(std::string_view message) {
  Status status = make_status(StatusCode::kResourceExhausted, message);
  status.SetPayload(kRefusedSession, absl::Cord(std::to_string(EncoderSession::open())));
  return status;
}

std::optional<int> take_refused_session(Status& status) {
  const auto mark = status.GetPayload(kRefusedSession);
  if (!mark) return std::nullopt;
  status.ErasePayload(kRefusedSession);
  return std::stoi(std::string(*mark));
}

bool is_refused_session(const Status& status) { return status.GetPayload(kRefusedSession).has_value(); }

}  // namespace weft::media
