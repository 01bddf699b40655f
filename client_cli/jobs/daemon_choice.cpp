// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/daemon_choice.h"

#include <chrono>
#include <string>

#include "client/jobs.h"
#include "client/server.h"
#include "client_cli/context/private_daemon.h"
#include "client_cli/context/signals.h"
#include "client_cli/context/work_folders.h"
#include "client_cli/jobs/log_text.h"
#include "client_cli/output/exit_codes.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kWorkerEnd(10);  // wait for the worker of a daemon that has ended

// Prints the logs of failed jobs, which cannot be read once the daemon has ended.
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
    client.read_log(request, print).IgnoreError();  // the failure itself is printed already
  }
}

int work_privately(const CommandContext& context, FollowOptions options, const DaemonWork& work) {
  Signals signals;  // a signal must not leave the daemon and its folder
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
  const int code = work((*daemon)->connection(), options, jobs);
  if (code == kExitUnreachable && jobs.empty())
    if (const Status ended = (*daemon)->ended(); !ended.ok()) context.fail(ended);
  if (code == kExitJobFailed && !context.json && !context.quiet)
    print_logs(context, (*daemon)->connection(), jobs);
  (*daemon)->stop();
  for (const std::string& folder : remove_work_folders(jobs, kWorkerEnd))
    context.note(fmt::format("The finished file stays in {}; move it to its destination.", folder));
  return signals.pending() ? kExitInterrupted : code;
}

}  // namespace

int work_with_daemon(const CommandContext& context, FollowOptions options, const DaemonWork& work) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto is_there = client::Server(*connection).is_there();
  if (!is_there.ok()) return context.fail(is_there.status());
  if (!*is_there) {
    context.note(fmt::format("No daemon answers at {}; starting one for this job.", (*connection)->server()));
    return work_privately(context, std::move(options), work);
  }
  std::vector<v1::Job> jobs;
  return work(*connection, options, jobs);
}

}  // namespace weft::cli
