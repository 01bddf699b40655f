// SPDX-License-Identifier: Apache-2.0
// Contains the context of every command: the global flags, the connection to the daemon and the two
// output streams. Data is written to standard output, everything else to standard error.
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

  Terminal out;  // standard output and standard error; set after the command line is parsed
  Terminal err;
  const Command* root = nullptr;

  // Returns a connection without contacting the daemon. An invalid address is an error.
  StatusOr<std::shared_ptr<client::Connection>> connect() const;

  // prints to standard output, unchanged
  void print(std::string_view text) const;
  // prints a line to standard output
  void print_json(const google::protobuf::Message& message) const;
  // prints a line to standard error, with control characters escaped; nothing with --quiet
  void note(std::string_view sentence) const;
  // Prints an error to standard error, with --json as an object. `what`, if not empty, is the
  // subject in front of the message. Returns the exit code.
  int fail(const Status& error, std::string_view what = "") const;
  // Prints an error in the command line and returns kExitUsage.
  int fail_usage(const Status& error) const;
};

// Writes to standard error and flushes it.
void write_error(std::string_view text);

TextColour state_colour(v1::JobState state);
TextColour state_colour(v1::DeviceState state);

}  // namespace weft::cli
