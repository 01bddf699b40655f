// SPDX-License-Identifier: Apache-2.0
// Describes the caller of a request, and checks the caller's rights to jobs and devices.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "weft/internal/v1/credentials.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

inline constexpr std::string_view kUnknownOwner = "unknown";

// Limits of a job's priority. A job of higher priority precedes others regardless of the owners'
// shares.
inline constexpr int kHighestPriority = 100;              // and -100
inline constexpr int kHighestPriorityOfOperators = 1000;  // and -1000

// The caller of a request, as far as known.
struct Caller {
  std::string user;                // empty if unknown; the owner in the request is then accepted
  bool speaks_for_others = false;  // true if the caller may name another owner
  // True if the caller has the rights of every job's owner, and may drain and take devices.
  bool is_operator = false;
  // Credentials with which the files named by the caller are opened.
  internal::v1::Credentials credentials = {};
};

// Settles the owner of a job or stream. `owner` is the requested name; an empty one becomes the
// caller's user. PERMISSION_DENIED: the name differs from the caller's user, and the caller has no
// right to act for others.
Status settle_owner(const Caller& caller, std::string& owner);

// PERMISSION_DENIED: the caller is neither the job's owner nor an operator. `what` is a clause of
// the message, such as "it cannot be cancelled".
Status check_owner(const Caller& caller, const v1::Job& job, std::string_view what);
// PERMISSION_DENIED: the caller is no operator. `what` begins the message, such as "Devices cannot
// be drained".
Status check_operator(const Caller& caller, std::string_view what);

// PERMISSION_DENIED: the priority is beyond kHighestPriority, and the caller is no operator.
// INVALID_ARGUMENT: the priority is beyond kHighestPriorityOfOperators.
Status check_priority(const Caller& caller, int priority);

}  // namespace weft::queue
