// SPDX-License-Identifier: Apache-2.0
#include "client/channel.h"

#include <cerrno>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/address.h"
#include "client/errors.h"
#include "client/user.h"
#include "google/rpc/status.pb.h"

namespace weft::client {
namespace {

// Returns the last part of a gRPC message, which states the cause: "failed to connect to all
// addresses; last error: UNKNOWN: unix:/x: No such file or directory".
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

// Returns the first folder of the socket's path, or the socket, to which the user has no access
// because of its mode. Returns nothing if the user has access.
std::optional<std::filesystem::path> closed_part(const std::filesystem::path& socket) {
  std::filesystem::path part;
  for (const std::filesystem::path& name : socket.parent_path()) {
    part /= name;
    if (faccessat(AT_FDCWD, part.c_str(), X_OK, AT_EACCESS) != 0 && errno == EACCES) return part;
  }
  const bool is_closed = faccessat(AT_FDCWD, socket.c_str(), R_OK | W_OK, AT_EACCESS) != 0 && errno == EACCES;
  return is_closed ? std::optional(socket) : std::nullopt;
}

// Returns a sentence with the mode that denies the user access to the socket, and the remedy.
// Returns an empty string if the user has access.
std::string no_right(const std::string& server) {
  const auto path = socket_path_of(server);
  const auto part = path ? closed_part(*path) : std::nullopt;
  struct stat info {};
  if (!part || stat(part->c_str(), &info) != 0) return "";
  const bool is_folder = S_ISDIR(info.st_mode);
  const std::string group = name_of_group(info.st_gid);
  const bool group_may = (info.st_mode & (is_folder ? S_IXGRP : S_IWGRP)) != 0;
  const std::string remedy =
      group_may ? fmt::format("ask to be added to the group {} (sudo usermod -aG {} {}), then log in again",
                              group, group, user_name())
                : fmt::format("ask its user to open it to you ({} of weftd)",
                              is_folder ? "the folder of --listen" : "socket_mode");
  return fmt::format("You may not use the daemon at {} ({} {}:{}, mode {:04o}); {}.", server,
                     is_folder ? fmt::format("the folder {} is", part->string()) : "its socket is",
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
  std::string others, closed;
  for (const std::string& other : stubs.others) {
    if (const std::string text = no_right(other); !text.empty())
      closed += " " + text;
    else
      others += (others.empty() ? ", nor at " : " or ") + other;
  }
  return mark_unreachable(weft::unavailable(
      "No daemon answers at {} ({}){}; start weftd, or give its address with --server or WEFT_SERVER.{}",
      stubs.server, why, others, closed));
}

Status from_grpc(const Stubs& stubs, const grpc::Status& status, std::chrono::milliseconds deadline) {
  if (status.ok()) return ok_status();
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE && status.error_details().empty())
    return unreachable(stubs, reason_of(status.error_message()));
  if (status.error_code() == grpc::StatusCode::CANCELLED && status.error_details().empty())
    return unreachable(stubs, "it ended the call, as a stopping daemon does");
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
