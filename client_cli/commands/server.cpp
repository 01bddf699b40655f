// SPDX-License-Identifier: Apache-2.0
// weft server: the daemon itself.
#include "client/server.h"

#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

std::string format(const v1::GetServerInfoResponse& info, const std::string& address) {
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("{:<16}{}\n", printable(name), printable(value));
  };
  const auto join = [](const auto& words) {
    std::string result;
    for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
    return result;
  };
  line("Version", info.version());
  line("Answers at", address);
  line("Listens at", join(info.listening()));
  line("Process", info.pid() > 0 ? std::to_string(info.pid()) : "");
  line("Up", info.has_uptime() ? format_age(seconds_of(info.uptime())) : "");
  line("State folder", info.state_folder());
  line("API", join(info.api_versions()));
  line("Kinds of job", join(info.job_kinds()));
  std::string jobs;
  for (const auto& [state, count] :
       std::map<std::string, int64_t>(info.jobs_by_state().begin(), info.jobs_by_state().end()))
    if (count > 0) jobs += fmt::format("{}{} {}", jobs.empty() ? "" : ", ", count, state);
  line("Jobs", jobs.empty() ? "none" : jobs);
  line("Devices", info.devices_in_service() > 0 ? fmt::format("{} in service", info.devices_in_service())
                                                : "none in service: jobs wait (`weft devices` says why)");
  for (const auto& [name, version] :
       std::map<std::string, std::string>(info.libraries().begin(), info.libraries().end()))
    line(name, version);
  if (info.queue_paused()) text += "The queue is paused: no job starts until `weft queue resume`.\n";
  if (info.draining()) text += "It stops when running jobs have finished.\n";
  return text;
}

int run(const CommandContext& context) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto info = client::Server(*connection).info();
  if (!info.ok()) return context.fail(info.status());
  if (context.json)
    context.print_json(*info);
  else
    context.print(format(*info, (*connection)->server()));
  return kExitDone;
}

int check_health(const CommandContext& context) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto is_healthy = client::Server(*connection).is_healthy();
  if (!is_healthy.ok()) return context.fail(is_healthy.status());
  if (*is_healthy) return kExitDone;
  context.fail(unavailable(
      "The daemon at {} accepts no jobs, or no device is in service; `weft devices` shows the devices.",
      (*connection)->server()));
  return kExitUnreachable;
}

}  // namespace

void add_server(Command& root, CommandContext& context) {
  Command& command = root.add("server", "Shows the daemon: version, addresses, jobs by state.");
  const auto health = std::make_shared<bool>(false);
  command.flag("--health", *health,
               "Print nothing; exit with 0 if the daemon accepts jobs and a device is in service "
               "(grpc.health.v1), else with 3.");
  command.run = [&context, health] { return *health ? check_health(context) : run(context); };
}

}  // namespace weft::cli
