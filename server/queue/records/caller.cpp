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

}  // namespace weft::queue
