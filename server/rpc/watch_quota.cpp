// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/watch_quota.h"

#include "server/rpc/limits.h"

namespace weft::rpc {

StatusOr<std::shared_ptr<void>> WatchQuota::take(const queue::Caller& caller) {
  if (caller.user.empty()) return std::shared_ptr<void>();
  const std::lock_guard lock(counts_->mutex);
  int& count = counts_->of_user[caller.user];
  if (count >= kMostWatchesOfAUser)
    return resource_exhausted("The user {} watches too much at once ({} watches, at most {}); close some.",
                              caller.user, count, kMostWatchesOfAUser);
  count++;
  return std::shared_ptr<void>(nullptr, [counts = counts_, user = caller.user](void*) {
    const std::lock_guard released(counts->mutex);
    if (--counts->of_user[user] == 0) counts->of_user.erase(user);
  });
}

}  // namespace weft::rpc
