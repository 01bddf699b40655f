// SPDX-License-Identifier: Apache-2.0
// weft run KIND IN... -o OUT: does jobs now and waits, with the daemon there is or one of its own.
#include "client/server.h"
#include "client_cli/commands.h"
#include "client_cli/exit_codes.h"
#include "client_cli/private_daemon.h"
#include "client_cli/signals.h"
#include "client_cli/submission.h"

namespace weft::cli {
namespace {

int run_jobs(const Context& context, const Submission& submission,
             const std::shared_ptr<client::Connection>& connection,
             const std::vector<v1::SubmitJobRequest>& requests, const FollowOptions& options) {
  if (submission.dry_run) return dry_run(context, connection, requests);
  std::vector<v1::Job> jobs;
  const int code = send(context, connection, requests, jobs);
  return worse(code, follow_jobs(context, connection, jobs, options));
}

int run(const Context& context, const Submission& submission) {
  const auto requests = submission.resolve();
  if (!requests.ok()) return context.fail_usage(requests.status());
  FollowOptions options;
  const auto timeout = submission.timeout_seconds();
  if (!timeout.ok()) return context.fail_usage(timeout.status());
  options.timeout_seconds = *timeout;
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto is_there = client::Server(*connection).is_there();
  if (!is_there.ok()) return context.fail(is_there.status());
  if (*is_there) return run_jobs(context, submission, *connection, *requests, options);
  context.note(fmt::format("No daemon answers at {}; starting one for this job.", (*connection)->server()));
  Signals signals;  // whatever ends us now has to remove the daemon and its folder
  options.signals = &signals;
  options.on_interrupt = FollowOptions::OnInterrupt::kCancel;
  const auto daemon = PrivateDaemon::start(signals);
  if (signals.pending()) return kExitInterrupted;
  if (!daemon.ok()) {
    context.fail(daemon.status());
    return kExitUnreachable;
  }
  const int code = run_jobs(context, submission, (*daemon)->connection(), *requests, options);
  return signals.pending() ? kExitInterrupted : code;
}

}  // namespace

void add_run(Command& root, Context& context) {
  Command& parent = root.add("run", "Does jobs now and shows the progress; needs no daemon.");
  for (const auto& state : all_submissions<Submission>()) {
    Command& command = parent.add(state->name(), state->summary());
    state->add_flags(command);
    command.examples = state->examples("run");
    command.run = [&context, state] { return run(context, *state); };
  }
}

}  // namespace weft::cli
