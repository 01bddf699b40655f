// SPDX-License-Identifier: Apache-2.0
#include "client/channel.h"

#include "client/errors.h"
#include "google/rpc/status.pb.h"

namespace weft::client {
namespace {

// gRPC wraps the reason in its own words: "failed to connect to all addresses; last error: UNKNOWN: unix:/x: No
// such file or directory". The last part is what helps.
std::string reason_of(const std::string& message) {
  const size_t colon = message.rfind(": ");
  const std::string reason = colon == std::string::npos ? message : message.substr(colon + 2);
  return reason.empty() ? "no reason is known" : reason;
}

void add_details(Status& status, const std::string& bytes) {
  google::rpc::Status full;
  if (bytes.empty() || !full.ParseFromString(bytes)) return;
  for (const auto& detail : full.details()) {
    const std::string& type = detail.type_url();
    status.SetPayload(absl::string_view(type.data(), type.size()), absl::Cord(detail.value()));
  }
}

}  // namespace

Status unreachable(const Stubs& stubs, std::string_view why) {
  return mark_unreachable(weft::unavailable(
      "No daemon answers at {} ({}); start weftd, or say with --server or WEFT_SERVER where it is.",
      stubs.server, why));
}

Status from_grpc(const Stubs& stubs, const grpc::Status& status, std::chrono::milliseconds deadline) {
  if (status.ok()) return ok_status();
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE && status.error_details().empty())
    return unreachable(stubs, reason_of(status.error_message()));
  if (status.error_code() == grpc::StatusCode::CANCELLED && status.error_details().empty())
    return unreachable(stubs, "it ended the call, as a daemon does that stops");
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED && status.error_details().empty() &&
      deadline > std::chrono::milliseconds(0))
    return mark_unreachable(deadline_exceeded(
        "The daemon at {} does not answer in time ({:.1f} s); try again, or look at its log.", stubs.server,
        double(deadline.count()) / 1000));
  Status result = make_status(static_cast<StatusCode>(status.error_code()), status.error_message());
  add_details(result, status.error_details());
  return result;
}

}  // namespace weft::client
