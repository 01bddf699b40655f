// SPDX-License-Identifier: Apache-2.0
// weft submit KIND IN... -o OUT: adds jobs to the queue.
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/submission.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

struct Submit : SubmitCommand {
  using SubmitCommand::SubmitCommand;
  bool wait = false;
  bool follow = false;
  bool detach = false;
};

void print_submitted(const CommandContext& context, const Submit& submit, const std::vector<v1::Job>& jobs) {
  const bool waits = submit.wait || submit.follow;
  for (const v1::Job& job : jobs) {
    if (!context.json)
      context.print(job.id() + "\n");
    else if (!waits)
      context.print_json(job);
  }
  if (waits || submit.detach || context.json || jobs.empty()) return;
  if (jobs.size() == 1)
    context.note(fmt::format("Queued. `weft watch {}` follows it.", jobs[0].id()));
  else
    context.note(format_count(int64_t(jobs.size()), "job") + " are queued. `weft watch` follows them.");
}

int run(const CommandContext& context, const Submit& submit) {
  const auto requests = submit.resolve();
  if (!requests.ok()) return context.fail_usage(requests.status());
  const auto timeout = submit.timeout_seconds();
  if (!timeout.ok()) return context.fail_usage(timeout.status());
  if (timeout->has_value() && !submit.wait && !submit.follow)
    return context.fail_usage(invalid_argument(
        "--timeout ({}) is for waiting; give --wait or --follow too, or leave it out.", submit.timeout));
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  if (submit.dry_run) return dry_run(context, *connection, *requests);
  std::vector<v1::Job> jobs;
  const int code = send(context, *connection, *requests, jobs);
  print_submitted(context, submit, jobs);
  if (!submit.wait && !submit.follow) return code;
  FollowOptions options;
  options.progress = submit.follow;
  options.timeout_seconds = *timeout;
  return worse(code, follow_jobs(context, *connection, jobs, options));
}

}  // namespace

void add_submit(Command& root, CommandContext& context) {
  Command& submit = root.add("submit", "Adds jobs to the queue.");
  for (const auto& state : all_submissions<Submit>()) {
    Command& command = submit.add(state->name(), state->summary());
    state->add_flags(command);
    command.flag("--wait", state->wait, "Wait for the end in silence; the exit code says how it went.")
        .under("Queue");
    command.flag("--follow", state->follow, "Wait for the end and show the progress.")
        .under("Queue")
        .without("--wait");
    command.flag("--detach", state->detach, "Print the ids and nothing else.")
        .under("Queue")
        .without("--wait")
        .without("--follow");
    command.examples = state->examples("submit");
    command.run = [&context, state] { return run(context, *state); };
  }
}

}  // namespace weft::cli
