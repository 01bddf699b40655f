// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/status.h"

#include <string>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace weft::rpc {
namespace {

constexpr int kRetrySeconds = 1;  // retry delay without a more specific value
constexpr const char* kErrorDomain = "weft";

template <class Detail>
bool has_detail(const google::rpc::Status& status) {
  for (const auto& detail : status.details())
    if (detail.Is<Detail>()) return true;
  return false;
}

void add_payloads(google::rpc::Status& full, const Status& status) {
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    google::protobuf::Any* detail = full.add_details();
    detail->set_type_url(std::string(type));
    detail->set_value(std::string(payload));
  });
}

void add_what_is_missing(google::rpc::Status& full, const Status& status) {
  if (status.code() == StatusCode::kResourceExhausted && !has_detail<google::rpc::QuotaFailure>(full)) {
    google::rpc::QuotaFailure failure;
    failure.add_violations()->set_description(full.message());
    full.add_details()->PackFrom(failure);
  }
  const bool may_pass =
      status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kDeadlineExceeded;
  if (may_pass && !has_detail<google::rpc::RetryInfo>(full)) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(kRetrySeconds);
    full.add_details()->PackFrom(retry);
  }
  if (status.code() == StatusCode::kCancelled && !has_detail<google::rpc::ErrorInfo>(full)) {
    google::rpc::ErrorInfo info;
    info.set_reason("CANCELLED");
    info.set_domain(kErrorDomain);
    full.add_details()->PackFrom(info);
  }
}

}  // namespace

grpc::Status to_grpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  google::rpc::Status full;
  full.set_code(int(status.code()));
  full.set_message(message_of(status));
  add_payloads(full, status);
  add_what_is_missing(full, status);
  const auto code = static_cast<grpc::StatusCode>(status.code());
  if (full.details().empty()) return grpc::Status(code, full.message());
  return grpc::Status(code, full.message(), full.SerializeAsString());
}

}  // namespace weft::rpc
