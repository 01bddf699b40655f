// SPDX-License-Identifier: Apache-2.0
#include "client_cli/context.h"

#include <cstdio>

#include "client/errors.h"
#include "client_cli/exit_codes.h"
#include "client_cli/json.h"
#include "options/validate.h"

namespace weft::cli {

void write_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

StatusOr<std::shared_ptr<client::Connection>> Context::connect() const {
  return client::Connection::open({.server = server});
}

void Context::print(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void Context::print_json(const google::protobuf::Message& message) const { print(to_json(message) + "\n"); }

void Context::note(std::string_view sentence) const {
  if (!quiet) write_error(fmt::format("{}\n", sentence));
}

int Context::fail(const Status& error, std::string_view what) const {
  if (json) {
    write_error(to_json(error) + "\n");
  } else {
    const std::string about = what.empty() ? "" : fmt::format("{}: ", what);
    const std::vector<options::Violation> violations = options::violations_of(error);
    const std::string name = paint(err, Colour::kRed, "weft:");
    if (violations.size() > 1)
      for (const options::Violation& violation : violations)
        write_error(fmt::format("{} {}{}\n", name, about, violation.description));
    else
      write_error(fmt::format("{} {}{}\n", name, about, message_of(error)));
  }
  return client::is_unreachable(error) ? kExitUnreachable : kExitRejected;
}

int Context::fail_usage(const Status& error) const {
  fail(error);
  return kExitUsage;
}

Colour state_colour(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_RUNNING:
      return Colour::kCyan;
    case v1::JOB_STATE_PAUSED:
      return Colour::kYellow;
    case v1::JOB_STATE_SUCCEEDED:
      return Colour::kGreen;
    case v1::JOB_STATE_FAILED:
      return Colour::kRed;
    case v1::JOB_STATE_CANCELLED:
      return Colour::kDim;
    default:
      return Colour::kNone;
  }
}

Colour state_colour(v1::DeviceState state) {
  switch (state) {
    case v1::DEVICE_STATE_IN_SERVICE:
      return Colour::kGreen;
    case v1::DEVICE_STATE_OUT_OF_SERVICE:
      return Colour::kRed;
    case v1::DEVICE_STATE_TAKEN:
    case v1::DEVICE_STATE_DRAINING:
    case v1::DEVICE_STATE_DRAINED:
      return Colour::kYellow;
    default:
      return Colour::kNone;
  }
}

}  // namespace weft::cli
