// SPDX-License-Identifier: Apache-2.0
// weft explain ID: why a job is where it is.
#include "base/printable.h"
#include "client/jobs.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "options/option.h"

namespace weft::cli {
namespace {

int run(const CommandContext& context, const std::string& id) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto answer = client::Jobs(*connection).explain(id);
  if (!answer.ok()) return context.fail(answer.status());
  if (context.json) {
    context.print_json(*answer);
    return kExitDone;
  }
  const v1::JobState state = answer->job().state();
  context.print(fmt::format("{}: {}\n", answer->job().id(),
                            paint(context.out, state_colour(state), options::choice_name(state))));
  for (const std::string& reason : answer->reasons()) context.print(fmt::format("- {}\n", printable(reason)));
  return kExitDone;
}

}  // namespace

void add_explain(Command& root, CommandContext& context) {
  const auto id = std::make_shared<std::string>();
  Command& command = root.add("explain", "Says why a job is not running yet, or why it is where it is.");
  command.word("ID", *id, kIdHelp).require().completed_by(Values::Kind::kJob);
  command.run = [&context, id] { return run(context, *id); };
}

}  // namespace weft::cli
