// SPDX-License-Identifier: Apache-2.0
// weft tune [--device D] [--filter F] [--kernel K] [--again]: finds the best block shapes for a
// device; --show: prints them.
#include <fstream>

#include <google/protobuf/util/json_util.h>

#include "base/printable.h"
#include "client/devices.h"
#include "client/jobs.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/daemon_choice.h"
#include "client_cli/jobs/results.h"
#include "client_cli/jobs/submission.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

struct TuneCommand : SubmitCommand {
  using SubmitCommand::SubmitCommand;
  bool show = false;
  bool detach = false;
  std::string export_file;
};

// For the named device, or all.
int show(const CommandContext& context, client::Devices& devices, const std::string& device) {
  std::vector<std::string> ids = {device};
  if (device.empty()) {
    const auto all = devices.list();
    if (!all.ok()) return context.fail(all.status());
    ids.clear();
    for (const v1::DeviceStatus& each : all->devices()) ids.push_back(each.id());
  }
  for (const std::string& id : ids) {
    const auto tuned = devices.tuned_kernels(id);
    if (!tuned.ok()) return context.fail(tuned.status());
    if (context.json) {
      context.print(json_line({{"device", json_string(id)},
                               {"driver", json_string(tuned->driver())},
                               {"kernels", json_list(tuned->kernels())}}));
    } else if (tuned->kernels().empty()) {
      context.print(fmt::format("{}: nothing is tuned; `weft tune --device {}` does it.\n", id, id));
    } else {
      context.print(fmt::format("{} ({}):\n", id, printable(tuned->driver())));
      context.print(format_tuned(context.out, tuned->kernels()));
    }
  }
  return kExitDone;
}

// The table of one device, as weft-worker reads it where it is shipped.
int export_table(const CommandContext& context, client::Devices& devices, const TuneCommand& tune,
                 std::string device) {
  const auto all = devices.list();
  if (!all.ok()) return context.fail(all.status());
  if (device.empty() && all->devices_size() != 1)
    return context.fail_usage(
        invalid_argument("--export needs the device of the table; name it with --device."));
  if (device.empty()) device = all->devices(0).id();
  const auto tuned = devices.tuned_kernels(device);
  if (!tuned.ok()) return context.fail(tuned.status());
  if (tuned->kernels().empty())
    return context.fail(
        failed_precondition("No kernels of {} are tuned; run `weft tune --device {}`.", device, device));
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const bool is_text = google::protobuf::util::MessageToJsonString(*tuned, &text, options).ok();
  std::ofstream file(tune.export_file, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!is_text || !file)
    return context.fail(unavailable("The file '{}' cannot be written.", tune.export_file));
  context.print(context.json ? json_line({{"file", json_string(tune.export_file)},
                                          {"device", json_string(device)},
                                          {"kernels", std::to_string(tuned->kernels_size())}})
                             : fmt::format("{}: {} entries in {}.\n", device, tuned->kernels_size(),
                                           printable(tune.export_file)));
  return kExitDone;
}

// Those forms that a private daemon has no answer for.
int run_on_daemon(const CommandContext& context, const TuneCommand& tune,
                  const std::vector<v1::SubmitJobRequest>& requests) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  if (tune.show || !tune.export_file.empty()) {
    client::Devices devices(*connection);
    const std::string& device = requests.front().settings().device();
    return tune.show ? show(context, devices, device) : export_table(context, devices, tune, device);
  }
  std::vector<v1::Job> jobs;
  const int code = send(context, *connection, requests, jobs);
  for (const v1::Job& job : jobs) context.json ? context.print_json(job) : context.print(job.id() + "\n");
  return code;
}

int run(const CommandContext& context, const TuneCommand& tune) {
  const auto requests = tune.resolve();
  if (!requests.ok()) return context.fail_usage(requests.status());
  const auto timeout = tune.sending.timeout_seconds();
  if (!timeout.ok()) return context.fail_usage(timeout.status());
  if (tune.show || !tune.export_file.empty() || (tune.detach && !tune.sending.dry_run))
    return run_on_daemon(context, tune, *requests);
  FollowOptions options;
  options.progress = !context.json && !context.quiet;
  options.timeout_seconds = *timeout;
  return work_with_daemon(
      context, options, [&](const auto& connection, const FollowOptions& follow, std::vector<v1::Job>& jobs) {
        if (tune.sending.dry_run) return dry_run(context, connection, *requests);
        int code = send(context, connection, *requests, jobs);
        code = worse(code, follow_to_results(context, connection, jobs, follow));
        if (code == kExitDone && follow.daemon_ended)
          context.note("The daemon of this job ends, and its shapes with it; start weftd to keep shapes.");
        return code;
      });
}

}  // namespace

void add_tune(Command& root, CommandContext& context) {
  for (const options::JobKind& kind : options::job_kinds()) {
    if (kind.name != "tune") continue;
    const auto state = std::make_shared<TuneCommand>(kind);
    Command& command =
        root.add("tune", "Finds the fastest block shapes of kernels on a device, and waits for the result.");
    state->add_flags(command);
    command.flag("--show", state->show, "Show the results so far.");
    command
        .value("--export", "FILE", state->export_file,
               "Write a device's table to a file for distribution (tuning/README.md).")
        .completed_by(Values::Kind::kFile)
        .without("--show");
    command.flag("--detach", state->detach, "Do not wait: print only the job's id.")
        .under("Queue")
        .without("--show");
    command.run = [&context, state] { return run(context, *state); };
  }
}

}  // namespace weft::cli
