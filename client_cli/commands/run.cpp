// SPDX-License-Identifier: Apache-2.0
// weft run KIND IN... -o OUT: does jobs now and waits, with the daemon there is or one of its own.
#include <chrono>

#include "client/jobs.h"
#include "client/server.h"
#include "client_cli/commands/commands.h"
#include "client_cli/commands/log_text.h"
#include "client_cli/context/private_daemon.h"
#include "client_cli/context/signals.h"
#include "client_cli/context/work_folders.h"
#include "client_cli/jobs/results.h"
#include "client_cli/jobs/submission.h"
#include "client_cli/output/exit_codes.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kWorkerEnd(10);  // of a daemon that is gone

int run_jobs(const CommandContext& context, const SubmitCommand& submission,
             const std::shared_ptr<client::Connection>& connection,
             const std::vector<v1::SubmitJobRequest>& requests, FollowOptions options,
             std::vector<v1::Job>& jobs) {
  if (submission.dry_run) return dry_run(context, connection, requests);
  const int code = send(context, connection, requests, jobs);
  CommandContext following = context;
  // Of a job that writes no file, standard output is its result's.
  const bool has_output = submission.kinds[0].output_option().has_value();
  following.json = context.json && has_output;
  const int followed = follow_jobs(following, connection, jobs, options);
  if (!has_output) print_results(context, connection, jobs);
  return worse(code, followed);
}

// The logs of those that failed: nobody can read them once the daemon is gone.
void print_logs(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                const std::vector<v1::Job>& jobs) {
  client::Jobs client(connection);
  for (const v1::Job& job : jobs) {
    const auto now = client.get(job.id());
    if (!now.ok() || now->state() != v1::JOB_STATE_FAILED) continue;
    v1::ReadJobLogRequest request;
    request.set_id(job.id());
    const auto print = [&](const v1::ReadJobLogResponse& line) {
      write_error(format_log_line(context.err, line));
      return true;
    };
    client.read_log(request, print).IgnoreError();  // the failure itself was told
  }
}

int run_privately(const CommandContext& context, const SubmitCommand& submission,
                  const std::vector<v1::SubmitJobRequest>& requests, FollowOptions options) {
  Signals signals;  // whatever ends us now has to remove the daemon and its folder
  options.signals = &signals;
  options.on_interrupt = FollowOptions::OnInterrupt::kCancel;
  const auto daemon = PrivateDaemon::start(signals);
  if (signals.pending()) return kExitInterrupted;
  if (!daemon.ok()) {
    context.fail(daemon.status());
    return kExitUnreachable;
  }
  options.daemon_ended = [&daemon] { return (*daemon)->ended(); };
  std::vector<v1::Job> jobs;
  const int code = run_jobs(context, submission, (*daemon)->connection(), requests, options, jobs);
  if (code == kExitUnreachable && jobs.empty())
    if (const Status ended = (*daemon)->ended(); !ended.ok()) context.fail(ended);
  if (code == kExitJobFailed && !context.json && !context.quiet)
    print_logs(context, (*daemon)->connection(), jobs);
  (*daemon)->stop();
  for (const std::string& folder : remove_work_folders(jobs, kWorkerEnd))
    context.note(fmt::format("The finished file stays in {}; move it to its place.", folder));
  return signals.pending() ? kExitInterrupted : code;
}

int run(const CommandContext& context, const SubmitCommand& submission) {
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
  std::vector<v1::Job> jobs;
  if (*is_there) return run_jobs(context, submission, *connection, *requests, options, jobs);
  context.note(fmt::format("No daemon answers at {}; starting one for this job.", (*connection)->server()));
  return run_privately(context, submission, *requests, options);
}

}  // namespace

void add_run(Command& root, CommandContext& context) {
  Command& parent = root.add("run", "Does jobs now and shows the progress; needs no daemon.");
  for (const auto& state : all_submissions<SubmitCommand>()) {
    Command& command = parent.add(state->name(), state->summary());
    state->add_flags(command);
    command.examples = state->examples("run");
    command.run = [&context, state] { return run(context, *state); };
  }
}

}  // namespace weft::cli
