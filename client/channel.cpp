// SPDX-License-Identifier: Apache-2.0
#include "client/channel.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/address.h"
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

std::string name_of_user(uid_t id) {
  const passwd* entry = getpwuid(id);
  return entry == nullptr ? std::to_string(id) : entry->pw_name;
}

std::string name_of_group(gid_t id) {
  const group* entry = getgrgid(id);
  return entry == nullptr ? std::to_string(id) : entry->gr_name;
}

// That a socket is there which its mode closes to this user, in a sentence; empty: it is not so.
std::string no_right(const std::string& server) {
  const auto path = socket_path_of(server);
  struct stat info {};
  if (!path || stat(path->c_str(), &info) != 0 || !S_ISSOCK(info.st_mode) ||
      faccessat(AT_FDCWD, path->c_str(), R_OK | W_OK, AT_EACCESS) == 0)
    return "";
  const std::string group = name_of_group(info.st_gid);
  const std::string remedy =
      (info.st_mode & S_IWGRP) != 0
          ? fmt::format("ask to be added to the group {} (usermod -aG {} USER), then log in again", group,
                        group)
          : "ask its user to open it to you (socket_mode of weftd)";
  return fmt::format("You may not use the daemon at {} (its socket is of {}:{}, mode {:04o}); {}.", server,
                     name_of_user(info.st_uid), group, info.st_mode & 07777, remedy);
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
  if (const std::string forbidden = no_right(stubs.server); !forbidden.empty())
    return mark_unreachable(weft::permission_denied("{}", forbidden));
  const std::string others = stubs.others.empty() ? "" : fmt::format(", nor at {}", stubs.others);
  return mark_unreachable(weft::unavailable(
      "No daemon answers at {} ({}){}; start weftd, or say with --server or WEFT_SERVER where it is.",
      stubs.server, why, others));
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
