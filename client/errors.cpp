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

std::optional<std::chrono::milliseconds> retry_delay(const Status& status) {
  const auto payload = status.GetPayload(kRetryInfo);
  google::rpc::RetryInfo info;
  if (!payload || !info.ParseFromString(std::string(*payload))) return std::nullopt;
  return std::chrono::seconds(info.retry_delay().seconds()) +
         std::chrono::milliseconds(info.retry_delay().nanos() / 1000000);
}

}  // namespace weft::client
