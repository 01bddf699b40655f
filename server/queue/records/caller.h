// SPDX-License-Identifier: Apache-2.0
// Who asks, and whose what is asked for will be.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "weft/internal/v1/credentials.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

inline constexpr std::string_view kUnknownOwner = "unknown";

// Priorities that jobs may have, both allowed: in the order of the queue a priority comes before the owners' turns.
inline constexpr int kHighestPriority = 100;              // and its negative
inline constexpr int kHighestPriorityOfOperators = 1000;  // likewise

// Who asks, as far as is known.
struct Caller {
  std::string user;                // empty: nobody knows, the caller's word stands
  bool speaks_for_others = false;  // may name another owner
  bool is_operator = false;  // may do with jobs of all owners, and with devices, what the owner of a job may
  internal::v1::Credentials credentials = {};  // with whose rights the files are opened that he names
};

// Whose a job or stream is: `owner` is what was asked for, and becomes the caller's name when empty. PERMISSION_DENIED: it
// is somebody else than a caller who is known, and who may not speak for others.
Status settle_owner(const Caller& caller, std::string& owner);

// PERMISSION_DENIED: the caller is neither the job's owner nor an operator. `what`: "it cannot be cancelled".
Status check_owner(const Caller& caller, const v1::Job& job, std::string_view what);
// PERMISSION_DENIED: the caller is no operator. `what`: "Devices cannot be drained".
Status check_operator(const Caller& caller, std::string_view what);

// PERMISSION_DENIED: the caller is no operator and the priority beyond kHighestPriority. INVALID_ARGUMENT: nobody may set it.
Status check_priority(const Caller& caller, int priority);

}  // namespace weft::queue
