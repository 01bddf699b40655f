// SPDX-License-Identifier: Apache-2.0
#include "client_cli/context/context.h"

#include <cstdio>

#include "base/printable.h"
#include "client/errors.h"
#include "client/json.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"
#include "options/validate.h"

namespace weft::cli {

void write_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

StatusOr<std::shared_ptr<client::Connection>> CommandContext::connect() const {
  return client::Connection::open({.server = server});
}

void CommandContext::print(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void CommandContext::print_json(const google::protobuf::Message& message) const {
  print(client::to_json_answer(message) + "\n");
}

void CommandContext::note(std::string_view sentence) const {
  if (!quiet) write_error(printable(sentence) + "\n");
}

int CommandContext::fail(const Status& error, std::string_view what) const {
  if (json) {
    write_error(error_line(what.empty() ? error : with_context(error, what)));
  } else {
    const std::string about = what.empty() ? "" : printable(what) + ": ";
    const std::vector<options::Violation> violations = options::violations_of(error);
    const std::string text = printable_lines(message_of(error));
    const std::string name = paint(err, TextColour::kRed, "weft:");
    if (violations.size() > 1)
      for (const options::Violation& violation : violations)
        write_error(fmt::format("{} {}{}\n", name, about, printable_lines(violation.description)));
    else if (about.empty() && text.starts_with("weft "))  // it begins with the command
      write_error(text + "\n");
    else
      write_error(fmt::format("{} {}{}\n", name, about, text));
  }
  return client::is_unreachable(error) ? kExitUnreachable : kExitRejected;
}

int CommandContext::fail_usage(const Status& error) const {
  fail(error);
  return kExitUsage;
}

TextColour state_colour(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_RUNNING:
      return TextColour::kCyan;
    case v1::JOB_STATE_PAUSED:
      return TextColour::kYellow;
    case v1::JOB_STATE_SUCCEEDED:
      return TextColour::kGreen;
    case v1::JOB_STATE_FAILED:
      return TextColour::kRed;
    case v1::JOB_STATE_CANCELLED:
      return TextColour::kDim;
    default:
      return TextColour::kNone;
  }
}

TextColour state_colour(v1::DeviceState state) {
  switch (state) {
    case v1::DEVICE_STATE_IN_SERVICE:
      return TextColour::kGreen;
    case v1::DEVICE_STATE_OUT_OF_SERVICE:
      return TextColour::kRed;
    case v1::DEVICE_STATE_TAKEN:
    case v1::DEVICE_STATE_DRAINING:
    case v1::DEVICE_STATE_DRAINED:
      return TextColour::kYellow;
    default:
      return TextColour::kNone;
  }
}

}  // namespace weft::cli
