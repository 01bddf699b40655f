// SPDX-License-Identifier: Apache-2.0
// weft logs [-f] ID: a job's log.
#include <string_view>

#include "base/printable.h"
#include "client/jobs.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/log_text.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

struct Logs {
  std::string id;
  bool follow = false;
};

TextColour level_colour(const std::string& level) {
  return level == "error" ? TextColour::kRed : level == "warning" ? TextColour::kYellow : TextColour::kNone;
}

// Lines of one event stay together.
std::string indented(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return printable_lines(text, "    ");
}

int run(const CommandContext& context, const Logs& logs) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  v1::ReadJobLogRequest request;
  request.set_id(logs.id);
  request.set_follow(logs.follow);
  const auto print = [&](const v1::ReadJobLogResponse& line) {
    if (context.json)
      context.print_json(line);
    else
      context.print(format_log_line(context.out, line));
    return true;
  };
  const Status status = client::Jobs(*connection).read_log(request, print);
  return status.ok() ? int(kExitDone) : context.fail(status);
}

}  // namespace

std::string format_log_line(const Terminal& terminal, const v1::ReadJobLogResponse& line) {
  return fmt::format("{} #{} {:<7} {}\n", format_time(line.time()), line.attempt(),
                     paint(terminal, level_colour(line.level()), line.level()), indented(line.text()));
}

void add_logs(Command& root, CommandContext& context) {
  const auto logs = std::make_shared<Logs>();
  Command& command = root.add("logs", "Prints a job's log.");
  command.word("ID", logs->id, kIdHelp).require().completed_by(Values::Kind::kJob);
  command.flag("-f,--follow", logs->follow, "Follow new lines until the job ends.");
  command.run = [&context, logs] { return run(context, *logs); };
}

}  // namespace weft::cli
