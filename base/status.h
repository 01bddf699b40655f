// SPDX-License-Identifier: Apache-2.0
// Errors: Status and StatusOr, their constructors, the two macros and a matcher for tests.
//
// A message is a whole sentence in the present tense, with the value and the limit in parentheses, and says
// what to do:
//
//   if (width > kMaxWidth)
//     return invalid_argument("The picture is too wide ({} pixels, at most {}); scale it down first.", width, kMaxWidth);
//
// Codes are gRPC's. No function of the project throws across a folder; results may not be dropped.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

namespace weft {

using Status = absl::Status;
template <class T>
using StatusOr = absl::StatusOr<T>;
using StatusCode = absl::StatusCode;

inline Status ok_status() { return absl::OkStatus(); }

// Debian's abseil has a string_view of its own; these two are the only places that know.
inline Status make_status(StatusCode code, std::string_view message) {
  return Status(code, absl::string_view(message.data(), message.size()));
}
inline std::string message_of(const Status& status) { return std::string(status.message()); }

// The same error with words in front: "While reading x: ...". The code and the payloads stay.
inline Status with_context(const Status& status, std::string_view context) {
  Status result = make_status(status.code(), fmt::format("{}: {}", context, message_of(status)));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { result.SetPayload(type, payload); });
  return result;
}

#define WEFT_STATUS_CONSTRUCTOR(name, code)                                                 \
  template <class... Args>                                                                  \
  Status name(fmt::format_string<Args...> format, Args&&... args) {                         \
    return make_status(StatusCode::code, fmt::format(format, std::forward<Args>(args)...)); \
  }
WEFT_STATUS_CONSTRUCTOR(cancelled, kCancelled)                     // somebody asked for it
WEFT_STATUS_CONSTRUCTOR(invalid_argument, kInvalidArgument)        // wrong whatever the state
WEFT_STATUS_CONSTRUCTOR(deadline_exceeded, kDeadlineExceeded)      // a time limit passed
WEFT_STATUS_CONSTRUCTOR(not_found, kNotFound)                      //
WEFT_STATUS_CONSTRUCTOR(already_exists, kAlreadyExists)            //
WEFT_STATUS_CONSTRUCTOR(permission_denied, kPermissionDenied)      //
WEFT_STATUS_CONSTRUCTOR(resource_exhausted, kResourceExhausted)    // memory, disk, a limit of ours
WEFT_STATUS_CONSTRUCTOR(failed_precondition, kFailedPrecondition)  // wrong in this state
WEFT_STATUS_CONSTRUCTOR(aborted, kAborted)                         // lost a race: a newer attempt owns it
WEFT_STATUS_CONSTRUCTOR(out_of_range, kOutOfRange)                 // past an end
WEFT_STATUS_CONSTRUCTOR(unimplemented, kUnimplemented)             //
WEFT_STATUS_CONSTRUCTOR(internal_error, kInternal)                 // a defect of ours
WEFT_STATUS_CONSTRUCTOR(unavailable, kUnavailable)                 // try again later
WEFT_STATUS_CONSTRUCTOR(data_loss, kDataLoss)                      // corrupt input or state
#undef WEFT_STATUS_CONSTRUCTOR

#define WEFT_CONCAT_INNER(a, b) a##b
#define WEFT_CONCAT(a, b) WEFT_CONCAT_INNER(a, b)

// Returns from the function when `expression`, a Status, is an error.
#define RETURN_IF_ERROR(expression)                                           \
  do {                                                                        \
    if (::weft::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

// `ASSIGN_OR_RETURN(auto file, open(path));`: the value of a StatusOr, or return its error.
#define ASSIGN_OR_RETURN(target, expression) \
  WEFT_ASSIGN_OR_RETURN(WEFT_CONCAT(status_or_, __LINE__), target, expression)
#define WEFT_ASSIGN_OR_RETURN(result, target, expression) \
  auto result = (expression);                             \
  if (!result.ok()) return std::move(result).status();    \
  target = *std::move(result)

// For tests: EXPECT_THAT(status, StatusIs(StatusCode::kNotFound, "frame 7")); EXPECT_THAT(result, IsOk()).
// `substring` must occur in the message. Takes a Status or a StatusOr. Knows gmock's protocol, not gmock.
class StatusIs {
 public:
  using is_gtest_matcher = void;  // NOLINT(readability-identifier-naming): gmock looks for this name

  explicit StatusIs(StatusCode code, std::string substring = "")
      : code_(code), substring_(std::move(substring)) {}

  bool MatchAndExplain(const Status& status, std::ostream* listener) const {
    if (listener != nullptr) *listener << status;
    return status.code() == code_ && message_of(status).find(substring_) != std::string::npos;
  }
  template <class T>
  bool MatchAndExplain(const StatusOr<T>& result, std::ostream* listener) const {
    return MatchAndExplain(result.status(), listener);
  }
  void DescribeTo(std::ostream* out) const {
    *out << "has code " << code_ << " and a message with '" << substring_ << "'";
  }
  void DescribeNegationTo(std::ostream* out) const {
    *out << "does not have code " << code_ << " with '" << substring_ << "'";
  }

 private:
  StatusCode code_;
  std::string substring_;
};
inline StatusIs IsOk() { return StatusIs(StatusCode::kOk); }

}  // namespace weft
