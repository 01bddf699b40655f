// SPDX-License-Identifier: Apache-2.0
// weft submit FILTERS|KIND IN... -o OUT: adds jobs to the queue. weft run: the same, with a daemon of its own where none answers, and
// waits.
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
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kWorkerEnd(10);  // of a daemon that is gone

struct Submit : SubmitCommand {
  using SubmitCommand::SubmitCommand;
  bool runs = false;  // as `weft run`
  bool wait = false;
  bool follow = false;
  bool detach = false;

  bool waits() const { return runs || wait || follow; }
};

void print_submitted(const CommandContext& context, const Submit& submit, const std::vector<v1::Job>& jobs) {
  for (const v1::Job& job : jobs) {
    if (!context.json)
      context.print(job.id() + "\n");
    else if (!submit.waits())
      context.print_json(job);
  }
  if (submit.waits() || submit.detach || context.json || jobs.empty()) return;
  if (jobs.size() == 1)
    context.note(fmt::format("Queued. `weft watch {}` follows it.", jobs[0].id()));
  else
    context.note(format_count(int64_t(jobs.size()), "job") + " are queued. `weft watch` follows them.");
}

// The jobs that were accepted are added to `jobs`.
int do_jobs(const CommandContext& context, const Submit& submit,
            const std::shared_ptr<client::Connection>& connection,
            const std::vector<v1::SubmitJobRequest>& requests, FollowOptions options,
            std::vector<v1::Job>& jobs) {
  if (submit.dry_run) return dry_run(context, connection, requests);
  const int code = send(context, connection, requests, jobs);
  if (!submit.runs) print_submitted(context, submit, jobs);
  if (!submit.waits()) return code;
  // Standard output of `weft run` is the result's where a job writes no file.
  const bool prints_results = submit.runs && !submit.kinds[0].output_option();
  CommandContext following = context;
  following.json = context.json && !prints_results;
  options.progress = submit.runs ? !submit.wait : submit.follow;
  const int followed = follow_jobs(following, connection, jobs, options);
  if (prints_results) print_results(context, connection, jobs);
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

int run_privately(const CommandContext& context, const Submit& submit,
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
  const int code = do_jobs(context, submit, (*daemon)->connection(), requests, options, jobs);
  if (code == kExitUnreachable && jobs.empty())
    if (const Status ended = (*daemon)->ended(); !ended.ok()) context.fail(ended);
  if (code == kExitJobFailed && !context.json && !context.quiet)
    print_logs(context, (*daemon)->connection(), jobs);
  (*daemon)->stop();
  for (const std::string& folder : remove_work_folders(jobs, kWorkerEnd))
    context.note(fmt::format("The finished file stays in {}; move it to its place.", folder));
  return signals.pending() ? kExitInterrupted : code;
}

// Refuses options that exclude each other.
Status check_flags(const Submit& submit, bool has_timeout) {
  if (has_timeout && !submit.waits())
    return invalid_argument("--timeout ({}) is for waiting; give --wait or --follow too, or leave it out.",
                            submit.timeout);
  if (submit.runs && submit.detach)
    return invalid_argument("--detach is not for `weft run`, which waits for its jobs; use `weft submit`.");
  return ok_status();
}

int run(const CommandContext& context, const Submit& submit) {
  const auto requests = submit.resolve();
  if (!requests.ok()) return context.fail_usage(requests.status());
  FollowOptions options;
  const auto timeout = submit.timeout_seconds();
  if (!timeout.ok()) return context.fail_usage(timeout.status());
  options.timeout_seconds = *timeout;
  if (const Status checked = check_flags(submit, timeout->has_value()); !checked.ok())
    return context.fail_usage(checked);
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  if (submit.runs) {
    const auto is_there = client::Server(*connection).is_there();
    if (!is_there.ok()) return context.fail(is_there.status());
    if (!*is_there) {
      context.note(
          fmt::format("No daemon answers at {}; starting one for this job.", (*connection)->server()));
      return run_privately(context, submit, *requests, options);
    }
  }
  std::vector<v1::Job> jobs;
  return do_jobs(context, submit, *connection, *requests, options, jobs);
}

void add_submission(Command& parent, CommandContext& context, const std::shared_ptr<Submit>& state) {
  Command& command = parent.add(state->name(), state->summary());
  state->add_flags(command);
  command.flag("--wait", state->wait, "Wait for the end in silence; the exit code says how it went.")
      .under("Queue");
  command
      .flag("--follow", state->follow, "Wait for the end and show the progress; `weft run` does so anyhow.")
      .under("Queue")
      .without("--wait");
  command.flag("--detach", state->detach, "Print the ids and nothing else.")
      .under("Queue")
      .without("--wait")
      .without("--follow");
  command.is_default = state->has_filters_word;
  command.check_first_word = [](const std::string& word) { return kinds_that_take(word).status(); };
  command.examples = state->examples(parent.name);
  command.run = [&context, state] { return run(context, *state); };
}

Command& add_submissions(Command& root, CommandContext& context, const char* name, const char* summary,
                         bool runs) {
  Command& parent = root.add(name, summary);
  std::vector<std::shared_ptr<Submit>> all{std::make_shared<Submit>()};
  for (const options::JobKind& kind : options::job_kinds()) all.push_back(std::make_shared<Submit>(kind));
  for (const auto& state : all) {
    state->runs = runs;
    add_submission(parent, context, state);
  }
  parent.examples = all[0]->examples(name);
  return parent;
}

}  // namespace

void add_submit(Command& root, CommandContext& context) {
  const Command& submit = add_submissions(root, context, "submit", "Adds jobs to the queue.", false);
  add_submissions(
      root, context, "run",
      "Does jobs now and shows the progress: `weft submit` with a daemon of its own where none answers.",
      true)
      .same_as = &submit;
  root.examples = submit.examples;
}

}  // namespace weft::cli
