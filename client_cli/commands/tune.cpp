// SPDX-License-Identifier: Apache-2.0
// weft tune [--device D] [--filter F] [--kernel K] [--again]: finds which shapes of blocks suit a device; --show: what was found.
#include <fstream>

#include <google/protobuf/util/json_util.h>

#include "client/devices.h"
#include "client/jobs.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/results.h"
#include "client_cli/jobs/submission.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

struct TuneCommand : SubmitCommand {
  using SubmitCommand::SubmitCommand;
  bool show = false;
  bool detach = false;
  std::string export_file;
};

// Of the device that was named, or of all.
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
      context.print_json(*tuned);
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
    return context.fail_usage(invalid_argument("Name the device whose table is written (--device)."));
  if (device.empty()) device = all->devices(0).id();
  const auto tuned = devices.tuned_kernels(device);
  if (!tuned.ok()) return context.fail(tuned.status());
  if (tuned->kernels().empty())
    return context.fail(
        failed_precondition("Nothing of {} is tuned; `weft tune --device {}` does it.", device, device));
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
  context.print(
      fmt::format("{}: {} entries in {}.\n", device, tuned->kernels_size(), printable(tune.export_file)));
  return kExitDone;
}

int run(const CommandContext& context, const TuneCommand& tune) {
  const auto requests = tune.resolve();
  if (!requests.ok()) return context.fail_usage(requests.status());
  const auto timeout = tune.timeout_seconds();
  if (!timeout.ok()) return context.fail_usage(timeout.status());
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  if (tune.show || !tune.export_file.empty()) {
    client::Devices devices(*connection);
    const std::string& device = requests->front().settings().device();
    return tune.show ? show(context, devices, device) : export_table(context, devices, tune, device);
  }
  if (tune.dry_run) return dry_run(context, *connection, *requests);
  std::vector<v1::Job> jobs;
  int code = send(context, *connection, *requests, jobs);
  if (tune.detach || jobs.empty()) {
    for (const v1::Job& job : jobs) context.print(job.id() + "\n");
    return code;
  }
  FollowOptions options;
  options.timeout_seconds = *timeout;
  code = worse(code, follow_jobs(context, *connection, jobs, options));
  print_results(context, *connection, jobs);
  return code;
}

}  // namespace

void add_tune(Command& root, CommandContext& context) {
  for (const options::JobKind& kind : options::job_kinds()) {
    if (kind.name != "tune") continue;
    const auto state = std::make_shared<TuneCommand>(kind);
    Command& command = root.add("tune", "Finds which shapes of blocks suit a device, and waits for it.");
    state->add_flags(command);
    command.flag("--show", state->show, "Show what was found so far instead.");
    command
        .value("--export", "FILE", state->export_file,
               "Write a device's table into a file that can be shipped (tuning/README.md).")
        .completed_by(Values::Kind::kFile)
        .without("--show");
    command.flag("--detach", state->detach, "Do not wait: print the job's id and nothing else.")
        .under("Queue")
        .without("--show");
    command.run = [&context, state] { return run(context, *state); };
  }
}

}  // namespace weft::cli
