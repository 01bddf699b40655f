// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/connection_count.h"

#include <sys/stat.h>

namespace weft::rpc {

void ConnectionCount::add(int descriptor, uid_t user) {
  if (const auto before = open_.find(descriptor); before != open_.end()) forget(before);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return;
  open_[descriptor] = {user, info.st_ino};
  of_user_[user]++;
}

int ConnectionCount::of(uid_t user) const {
  const auto found = of_user_.find(user);
  return found == of_user_.end() ? 0 : found->second;
}

void ConnectionCount::poll() {
  for (auto each = open_.begin(); each != open_.end();) {
    const auto connection = each++;
    struct stat info {};
    const bool is_open = ::fstat(connection->first, &info) == 0 && S_ISSOCK(info.st_mode) &&
                         info.st_ino == connection->second.socket;
    if (!is_open) forget(connection);
  }
}

void ConnectionCount::forget(std::map<int, Connection>::iterator connection) {
  const auto user = of_user_.find(connection->second.user);
  if (--user->second == 0) of_user_.erase(user);
  open_.erase(connection);
}

}  // namespace weft::rpc
