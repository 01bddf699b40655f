// SPDX-License-Identifier: Apache-2.0
#include "client_cli/commands/steer.h"

#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "options/option.h"

namespace weft::cli {

int steer_jobs(const CommandContext& context, const std::vector<std::string>& ids, const Steer& steer) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  int code = kExitDone;
  for (const std::string& id : ids) {
    const auto job = steer(jobs, id);
    if (!job.ok())
      code = worse(code, context.fail(job.status()));
    else if (context.json)
      context.print_json(*job);
    else
      context.note(
          fmt::format("{}: {}", job->id(),
                      paint(context.err, state_colour(job->state()), options::choice_name(job->state()))));
    if (code == kExitUnreachable) break;
  }
  return code;
}

void print_devices(const CommandContext& context, const std::vector<v1::DeviceStatus>& devices) {
  for (const v1::DeviceStatus& device : devices) {
    if (context.json)
      context.print_json(device);
    else
      context.note(fmt::format("{}: {}", device.id(), options::choice_name(device.state())));
  }
}

void add_steering(Command& root, CommandContext& context, const std::string& name, const std::string& summary,
                  const Steer& steer) {
  const auto ids = std::make_shared<std::vector<std::string>>();
  Command& command = root.add(name, summary);
  command.words("ID", *ids, kIdHelp).require().completed_by(Values::Kind::kJob);
  command.run = [&context, ids, steer] { return steer_jobs(context, *ids, steer); };
}

}  // namespace weft::cli
