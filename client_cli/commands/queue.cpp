// SPDX-License-Identifier: Apache-2.0
// weft queue pause|resume: stops and continues the start of jobs.
#include "client/jobs.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"

namespace weft::cli {
namespace {

int run(const CommandContext& context, StatusOr<bool> (client::Jobs::*change)()) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  const StatusOr<bool> paused = (jobs.*change)();
  if (!paused.ok()) return context.fail(paused.status());
  if (context.json)
    context.print(json_line({{"queue_paused", *paused ? "true" : "false"}}));
  else
    context.note(*paused ? "The queue is paused. Running jobs continue; no other job starts."
                         : "The queue is not paused.");
  return kExitDone;
}

}  // namespace

void add_queue(Command& root, CommandContext& context) {
  Command& queue = root.add("queue", "Pauses and resumes the start of jobs.");
  queue.add("pause", "Pauses the queue: running jobs continue, no other job starts. For operators.").run =
      [&context] { return run(context, &client::Jobs::pause_queue); };
  queue.add("resume", "Ends the pause of the queue. For operators.").run = [&context] {
    return run(context, &client::Jobs::resume_queue);
  };
}

}  // namespace weft::cli
