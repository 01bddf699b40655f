// SPDX-License-Identifier: Apache-2.0
#include "server/queue/records/caller.h"

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

}  // namespace weft::queue
