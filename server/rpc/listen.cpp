// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/listen.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace weft::rpc {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr mode_t kGroupOrOthers = 0077;

bool somebody_listens(const sockaddr_un& name) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return false;
  const int result = ::connect(probe, reinterpret_cast<const sockaddr*>(&name), sizeof(name));
  const bool full = result != 0 && errno == EAGAIN;  // a server listens, and its backlog is full
  ::close(probe);
  return result == 0 || full;
}

}  // namespace

Status prepare_address(const std::string& address, mode_t socket_mode) {
  if (!address.starts_with(kUnix)) return ok_status();
  const std::string path = address.substr(kUnix.size());
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path))
    return invalid_argument("The socket's path is too long ({} bytes, at most {}): {}; choose a shorter one.",
                            path.size(), sizeof(name.sun_path) - 1, path);
  std::memcpy(name.sun_path, path.data(), path.size());

  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (std::filesystem::create_directories(folder, error))
    ::chmod(folder.c_str(), (socket_mode & kGroupOrOthers) != 0 ? 0755 : 0700);
  if (error)
    return failed_precondition("The socket's folder cannot be made ({}): {}.", folder.string(),
                               error.message());

  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return ok_status();
  if (!S_ISSOCK(there.st_mode))
    return failed_precondition(
        "The socket's path is taken by something that is not a socket ({}); remove it or choose another.",
        path);
  if (somebody_listens(name))
    return aborted("Another daemon listens at {}; stop it, or give this one another --listen.", address);
  return ok_status();
}

Status set_socket_mode(const std::string& address, mode_t socket_mode) {
  if (!address.starts_with(kUnix)) return ok_status();
  const std::string path = address.substr(kUnix.size());
  if (::chmod(path.c_str(), socket_mode) != 0)
    return permission_denied("The mode of the socket cannot be set ({}): {}.", path, std::strerror(errno));
  return ok_status();
}

}  // namespace weft::rpc
