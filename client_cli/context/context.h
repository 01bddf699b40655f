// SPDX-License-Identifier: Apache-2.0
// What every command has: the flags that stand before or after any command, the way to the daemon, and the two
// streams. Data goes to standard output, everything else to standard error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "client/connection.h"
#include "client_cli/command_line/command.h"
#include "client_cli/output/terminal.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

struct CommandContext {
  std::string server;
  std::string colour = "auto";
  bool json = false;
  bool quiet = false;

  Terminal out;  // standard output and standard error, once the command line is read
  Terminal err;
  const Command* root = nullptr;

  // An address that cannot be one is an error; nobody is asked yet.
  StatusOr<std::shared_ptr<client::Connection>> connect() const;

  void print(std::string_view text) const;                          // to standard output, as it is
  void print_json(const google::protobuf::Message& message) const;  // a line on standard output
  void note(std::string_view sentence) const;  // a line on standard error, made printable, unless --quiet
  // An error on standard error (with --json as an object), `what` it was about in front, if any. Gives the exit code.
  int fail(const Status& error, std::string_view what = "") const;
  // A mistake of the command line.
  int fail_usage(const Status& error) const;
};

// Writes to standard error at once.
void write_error(std::string_view text);

TextColour state_colour(v1::JobState state);
TextColour state_colour(v1::DeviceState state);

}  // namespace weft::cli
