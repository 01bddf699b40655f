// SPDX-License-Identifier: Apache-2.0
#include "client/address.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace weft::client {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr size_t kLongestSocketPath = sizeof(sockaddr_un::sun_path) - 1;

StatusOr<std::string> parse_unix(std::string_view text) {
  std::string_view path = text.substr(kUnix.size());
  if (path.starts_with("//")) path.remove_prefix(2);
  if (path.empty()) return invalid_argument("The address ({}) names no socket; write unix:PATH.", text);
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).lexically_normal().string();
  if (absolute.size() > kLongestSocketPath)
    return invalid_argument("The socket's path ({}) is too long ({} bytes, at most {}); use a shorter one.",
                            absolute, absolute.size(), kLongestSocketPath);
  return std::string(kUnix) + absolute;
}

StatusOr<std::string> parse_tcp(std::string_view text) {
  const size_t colon = text.rfind(':');
  const std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  int port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port < 1 || port > 65535)
    return invalid_argument("The port ({}) of the address ({}) is no number from 1 to 65535.", digits, text);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (host.empty() || (!bracketed && host.find_first_of(":/ ") != std::string_view::npos))
    return invalid_argument(
        "The host ({}) of the address ({}) is not a name or number; write HOST:PORT or [IPV6]:PORT.", host,
        text);
  return std::string(text);
}

bool is_socket(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

// Returns true if this user owns the folder. Any user can create the folder in /tmp.
bool is_ours(const std::string& folder) {
  struct stat info {};
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the paths of the default sockets in the order of preference.
std::vector<std::string> usual_sockets() {
  std::vector<std::string> sockets;
  if (const std::string runtime = variable("XDG_RUNTIME_DIR"); !runtime.empty())
    sockets.push_back(runtime + "/weft/weft.sock");
  const std::string shared = fmt::format("/tmp/weft-{}", geteuid());
  if (sockets.empty() || is_ours(shared)) sockets.push_back(shared + "/weft.sock");
  sockets.push_back("/run/weft/weft.sock");
  return sockets;
}

}  // namespace

StatusOr<std::string> parse_address(std::string_view text) {
  if (text.starts_with(kUnix)) return parse_unix(text);
  if (text.find(':') != std::string_view::npos) return parse_tcp(text);
  if (text.find('/') != std::string_view::npos)
    return invalid_argument("The address ({}) looks like a path; write unix:{}.", text, text);
  return invalid_argument("The address ({}) is neither unix:PATH nor HOST:PORT; write one of the two.", text);
}

std::optional<std::string> socket_path_of(std::string_view address) {
  if (!address.starts_with(kUnix)) return std::nullopt;
  return std::string(address.substr(kUnix.size()));
}

std::string default_address() {
  if (std::string given = variable("WEFT_SERVER"); !given.empty()) return given;
  const std::vector<std::string> sockets = usual_sockets();
  for (const std::string& socket : sockets)
    if (is_socket(socket)) return std::string(kUnix) + socket;
  return std::string(kUnix) + sockets.front();
}

std::vector<std::string> other_addresses(std::string_view chosen) {
  if (!variable("WEFT_SERVER").empty()) return {};
  std::vector<std::string> others;
  for (const std::string& socket : usual_sockets())
    if (std::string address = std::string(kUnix) + socket; address != chosen)
      others.push_back(std::move(address));
  return others;
}

}  // namespace weft::client
