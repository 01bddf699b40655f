// SPDX-License-Identifier: Apache-2.0
#include "server/queue/records/caller.h"

#include <cstdlib>

namespace weft::queue {

Status settle_owner(const Caller& caller, std::string& owner) {
  if (!owner.empty() && !caller.user.empty() && owner != caller.user && !caller.speaks_for_others)
    return permission_denied(
        "The owner ({}) is somebody else than the caller ({}); leave the owner out. Root and the daemon's "
        "user may name others.",
        owner, caller.user);
  if (owner.empty()) owner = caller.user.empty() ? std::string(kUnknownOwner) : caller.user;
  return ok_status();
}

Status check_owner(const Caller& caller, const v1::Job& job, std::string_view what) {
  const std::string& owner = job.settings().owner();
  if (caller.is_operator || (!caller.user.empty() && caller.user == owner)) return ok_status();
  return permission_denied(
      "The job ({}) is {}'s, and {} by {}; its owner, root, the daemon's user and operators (the "
      "daemon's `operators` "
      "group) may.",
      job.id(), owner, what, caller.user.empty() ? "a caller who is not known" : caller.user);
}

Status check_operator(const Caller& caller, std::string_view what) {
  if (caller.is_operator) return ok_status();
  return permission_denied(
      "{} by {}; root, the daemon's user and operators (the daemon's `operators` group) may.", what,
      caller.user.empty() ? "a caller who is not known" : caller.user);
}

Status check_priority(const Caller& caller, int priority) {
  const int64_t size = std::abs(int64_t{priority});
  if (size > kHighestPriorityOfOperators)
    return invalid_argument("The priority ({}) is out of range ({} to {}); choose one within it.", priority,
                            -kHighestPriorityOfOperators, kHighestPriorityOfOperators);
  if (caller.is_operator || size <= kHighestPriority) return ok_status();
  return permission_denied(
      "The priority ({}) is out of range for {} ({} to {}); choose one within it. Root, the daemon's user "
      "and "
      "operators (the daemon's `operators` group) may set {} to {}.",
      priority, caller.user.empty() ? "a caller who is not known" : caller.user, -kHighestPriority,
      kHighestPriority, -kHighestPriorityOfOperators, kHighestPriorityOfOperators);
}

}  // namespace weft::queue
