// SPDX-License-Identifier: Apache-2.0
// weft watch [ID...]: follows jobs to their end, or all jobs until Ctrl-C.
#include "client/jobs.h"
#include "client_cli/command_line/job_filter.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/follow.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

struct WatchCommand {
  std::vector<std::string> ids;
  FilterFlags filter;
  std::string timeout;
};

int run(const CommandContext& context, const WatchCommand& watch) {
  FollowOptions options;
  const auto filter = watch.filter.resolve();
  if (!filter.ok()) return context.fail_usage(filter.status());
  options.filter = *filter;
  options.on_interrupt = FollowOptions::OnInterrupt::kEnd;
  options.until_finished = !watch.ids.empty();
  if (!watch.timeout.empty()) {
    const auto seconds = parse_seconds(watch.timeout);
    if (!seconds.ok()) return context.fail_usage(seconds.status());
    options.timeout_seconds = *seconds;
  }
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  for (const std::string& id : watch.ids) {  // whole ids from beginnings
    const auto job = jobs.get(id);
    if (!job.ok()) return context.fail(job.status());
    options.filter.add_ids(job->id());
  }
  return follow(context, *connection, options);
}

}  // namespace

void add_watch(Command& root, CommandContext& context) {
  const auto watch = std::make_shared<WatchCommand>();
  Command& command =
      root.add("watch", "Follows jobs to their end; without an id, prints events of all jobs until Ctrl-C.");
  command.words("ID", watch->ids, kIdHelp).completed_by(Values::Kind::kJob);
  watch->filter.add(command);
  command.value("--timeout", "TIME", watch->timeout, "Time limit: 90, 5m, 1h30m.");
  command.run = [&context, watch] { return run(context, *watch); };
}

}  // namespace weft::cli
