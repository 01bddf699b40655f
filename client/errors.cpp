// SPDX-License-Identifier: Apache-2.0
#include "client/errors.h"

#include "google/rpc/error_details.pb.h"

namespace weft::client {
namespace {

constexpr const char* kUnreachable = "weft.client/unreachable";
constexpr const char* kRetryInfo = "type.googleapis.com/google.rpc.RetryInfo";

}  // namespace

bool is_unreachable(const Status& status) { return status.GetPayload(kUnreachable).has_value(); }

Status mark_unreachable(Status status) {
  status.SetPayload(kUnreachable, absl::Cord());
  return status;
}

google::rpc::Status to_message(const Status& status) {
  google::rpc::Status message;
  message.set_code(int(status.code()));
  message.set_message(message_of(status));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    if (type == kUnreachable) return;
    google::protobuf::Any& detail = *message.add_details();
    detail.set_type_url(std::string(type));
    detail.set_value(std::string(payload));
  });
  return message;
}

std::optional<std::chrono::milliseconds> retry_delay(const Status& status) {
  const auto payload = status.GetPayload(kRetryInfo);
  google::rpc::RetryInfo info;
  if (!payload || !info.ParseFromString(std::string(*payload))) return std::nullopt;
  return std::chrono::seconds(info.retry_delay().seconds()) +
         std::chrono::milliseconds(info.retry_delay().nanos() / 1000000);
}

}  // namespace weft::client
