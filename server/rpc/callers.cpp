// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/callers.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weft::rpc {

namespace {

constexpr std::string_view kHandedOver = "fd:";
constexpr int kMostGroups = 65536;  // limit of a user's groups in Linux
constexpr uid_t kNobody = 65534;    // user and group: the kernel's overflow ids

}  // namespace

namespace {

// Returns the credentials of a TCP client: nobody if the daemon runs as root, otherwise empty ones.
internal::v1::Credentials of_nobody() {
  internal::v1::Credentials credentials;
  if (::geteuid() != 0) return credentials;
  credentials.set_user(kNobody);
  credentials.set_group(kNobody);
  return credentials;
}

}  // namespace

bool is_over_unix_socket(std::string_view peer) { return peer.starts_with(kHandedOver); }

namespace {

bool is_member(const passwd& user, const std::string& name) {
  std::vector<char> buffer(size_t{64} << 10);
  group entry{};
  group* found = nullptr;
  if (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return false;
  std::vector<gid_t> groups(kMostGroups);
  int count = int(groups.size());
  ::getgrouplist(user.pw_name, user.pw_gid, groups.data(), &count);
  groups.resize(size_t(std::clamp(count, 0, kMostGroups)));
  return std::ranges::count(groups, found->gr_gid) > 0;
}

}  // namespace

queue::Caller caller_of(uid_t user, uid_t own, const std::string& operators) {
  const bool may_all = user == 0 || user == own;
  queue::Caller caller{.user = std::to_string(user), .speaks_for_others = may_all, .is_operator = may_all};
  std::vector<char> buffer(size_t{16} << 10);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    caller.user = found->pw_name;
  if (found != nullptr && !operators.empty()) caller.is_operator = may_all || is_member(*found, operators);
  return caller;
}

StatusOr<internal::v1::Credentials> credentials_of(int connection) {
  ucred peer{};
  socklen_t length = sizeof(peer);
  std::vector<gid_t> groups(kMostGroups);
  socklen_t bytes = socklen_t(groups.size() * sizeof(gid_t));
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
      ::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) != 0)
    return unavailable("The kernel does not tell who connects: {}.", std::strerror(errno));
  internal::v1::Credentials credentials;
  credentials.set_user(peer.uid);
  credentials.set_group(peer.gid);
  credentials.mutable_groups()->Add(groups.begin(), groups.begin() + std::ptrdiff_t(bytes / sizeof(gid_t)));
  return credentials;
}

void Callers::add(int descriptor, queue::Caller caller) {
  const std::lock_guard lock(mutex_);
  by_descriptor_[descriptor] = std::move(caller);
}

queue::Caller Callers::find(std::string_view peer) const {
  if (!is_over_unix_socket(peer))
    return {.user = "", .speaks_for_others = true, .is_operator = true, .credentials = of_nobody()};
  peer.remove_prefix(kHandedOver.size());
  int descriptor = -1;
  std::from_chars(peer.data(), peer.data() + peer.size(), descriptor);
  const std::lock_guard lock(mutex_);
  const auto found = by_descriptor_.find(descriptor);
  return found == by_descriptor_.end() ? queue::Caller() : found->second;
}

}  // namespace weft::rpc
