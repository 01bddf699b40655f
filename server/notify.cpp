// SPDX-License-Identifier: Apache-2.0
#include "server/notify.h"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace weft {

void notify(const std::string& words) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr) return;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof(name.sun_path)) return;
  std::memcpy(name.sun_path, path, length);
  if (name.sun_path[0] == '@') name.sun_path[0] = '\0';  // a socket in the abstract namespace
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto bytes = socklen_t(offsetof(sockaddr_un, sun_path) + length);
  ::sendto(socket, words.data(), words.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&name), bytes);
  ::close(socket);
}

std::optional<Duration> watchdog_interval() {
  const char* text = std::getenv("WATCHDOG_USEC");
  const long long microseconds = text == nullptr ? 0 : std::atoll(text);
  if (microseconds <= 0) return std::nullopt;
  return std::chrono::microseconds(microseconds) / 2;
}

}  // namespace weft
