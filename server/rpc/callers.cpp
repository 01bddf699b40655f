// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/callers.h"

#include <charconv>
#include <utility>
#include <vector>

#include <pwd.h>

namespace weft::rpc {

namespace {

constexpr std::string_view kHandedOver = "fd:";

}  // namespace

bool is_over_unix_socket(std::string_view peer) { return peer.starts_with(kHandedOver); }

queue::Caller caller_of(uid_t user, uid_t own) {
  queue::Caller caller{.user = std::to_string(user), .speaks_for_others = user == 0 || user == own};
  std::vector<char> buffer(size_t{16} << 10);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    caller.user = found->pw_name;
  return caller;
}

void Callers::add(int descriptor, queue::Caller caller) {
  const std::lock_guard lock(mutex_);
  by_descriptor_[descriptor] = std::move(caller);
}

queue::Caller Callers::find(std::string_view peer) const {
  if (!is_over_unix_socket(peer)) return {};
  peer.remove_prefix(kHandedOver.size());
  int descriptor = -1;
  std::from_chars(peer.data(), peer.data() + peer.size(), descriptor);
  const std::lock_guard lock(mutex_);
  const auto found = by_descriptor_.find(descriptor);
  return found == by_descriptor_.end() ? queue::Caller() : found->second;
}

}  // namespace weft::rpc
