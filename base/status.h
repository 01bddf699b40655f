// SPDX-License-Identifier: Apache-2.0
// Defines errors: Status and StatusOr, their constructors, two macros and a matcher for tests.
//
// A message is a whole sentence in the present tense. It contains the value and the limit in
// parentheses, and the remedy:
//
//   if (width > kMaxWidth)
//     return invalid_argument("The picture is too wide ({} pixels, at most {}); scale it down.",
//                             width, kMaxWidth);
//
// The codes are those of gRPC. No function of the project throws across a folder. A result must not
// be discarded.
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

// Debian's abseil has its own string_view type. Only these two functions convert between it and
// std::string_view.
inline Status make_status(StatusCode code, std::string_view message) {
  return Status(code, absl::string_view(message.data(), message.size()));
}
inline std::string message_of(const Status& status) { return std::string(status.message()); }

// Returns the same error with `context` in front of its message: "While reading x: ...". The code
// and the payloads are kept.
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
WEFT_STATUS_CONSTRUCTOR(cancelled, kCancelled)                     // cancelled by a request
WEFT_STATUS_CONSTRUCTOR(invalid_argument, kInvalidArgument)        // invalid in every state
WEFT_STATUS_CONSTRUCTOR(deadline_exceeded, kDeadlineExceeded)      // a time limit has passed
WEFT_STATUS_CONSTRUCTOR(not_found, kNotFound)                      //
WEFT_STATUS_CONSTRUCTOR(already_exists, kAlreadyExists)            //
WEFT_STATUS_CONSTRUCTOR(permission_denied, kPermissionDenied)      //
WEFT_STATUS_CONSTRUCTOR(resource_exhausted, kResourceExhausted)    // memory, disk or quota
WEFT_STATUS_CONSTRUCTOR(failed_precondition, kFailedPrecondition)  // invalid in this state
// superseded by a newer attempt
WEFT_STATUS_CONSTRUCTOR(aborted, kAborted)
WEFT_STATUS_CONSTRUCTOR(out_of_range, kOutOfRange)      // beyond the end of a range
WEFT_STATUS_CONSTRUCTOR(unimplemented, kUnimplemented)  //
WEFT_STATUS_CONSTRUCTOR(internal_error, kInternal)      // a defect of Weft
WEFT_STATUS_CONSTRUCTOR(unavailable, kUnavailable)      // try again later
WEFT_STATUS_CONSTRUCTOR(data_loss, kDataLoss)           // corrupt input or state
#undef WEFT_STATUS_CONSTRUCTOR

#define WEFT_CONCAT_INNER(a, b) a##b
#define WEFT_CONCAT(a, b) WEFT_CONCAT_INNER(a, b)

// Returns `expression`, a Status, from the function if it is an error.
#define RETURN_IF_ERROR(expression)                                           \
  do {                                                                        \
    if (::weft::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

// Assigns the value of a StatusOr to `target`, or returns its error from the function:
//
//   ASSIGN_OR_RETURN(auto file, open(path));
#define ASSIGN_OR_RETURN(target, expression) \
  WEFT_ASSIGN_OR_RETURN(WEFT_CONCAT(status_or_, __LINE__), target, expression)
#define WEFT_ASSIGN_OR_RETURN(result, target, expression) \
  auto result = (expression);                             \
  if (!result.ok()) return std::move(result).status();    \
  target = *std::move(result)

// Matches a Status or a StatusOr in tests: EXPECT_THAT(status, StatusIs(StatusCode::kNotFound,
// "frame 7")); EXPECT_THAT(result, IsOk()). The message must contain `substring`. The class follows
// gmock's matcher protocol without including gmock.
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
