// SPDX-License-Identifier: Apache-2.0
// weft resume ID|DEVICE...: paused jobs and drained devices go on.
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"
#include "client_cli/output/exit_codes.h"

namespace weft::cli {
namespace {

int resume_devices(const CommandContext& context, const std::vector<std::string>& ids, bool take) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto devices = client::Devices(*connection).resume(ids, take);
  if (!devices.ok()) return context.fail(devices.status());
  print_devices(context, *devices);
  return kExitDone;
}

struct ResumeChoice {
  JobChoice jobs;  // its ids are those of devices too
  bool all_devices = false;
  bool take = false;
};

int resume(const CommandContext& context, const ResumeChoice& request) {
  JobChoice jobs = request.jobs;
  jobs.ids.clear();
  std::vector<std::string> devices;
  for (const std::string& word : request.jobs.ids) (is_device(word) ? devices : jobs.ids).push_back(word);
  const bool has_devices = request.all_devices || !devices.empty();
  const bool has_jobs = !jobs.ids.empty() || jobs.is_by_flags();
  if (!has_devices && !has_jobs)
    return context.fail_usage(
        invalid_argument("Nothing is named; give ids of jobs, devices, --all-devices, or choose jobs by "
                         "--label, --owner and the "
                         "like, or --all."));
  if (request.take && (devices.empty() || has_jobs || request.all_devices))
    return context.fail_usage(invalid_argument(
        "--take needs the names of the devices to be taken, and takes nothing else; give them."));
  int code = kExitDone;
  if (has_devices)
    code = resume_devices(context, request.all_devices ? std::vector<std::string>() : devices, request.take);
  if (!has_jobs) return code;
  const Steering steering{"Resume", {v1::JOB_STATE_PAUSED}, [](client::Jobs& client, const std::string& id) {
                            return client.resume(id);
                          }};
  return worse(code, steer_jobs(context, jobs, steering));
}

}  // namespace

void add_resume(Command& root, CommandContext& context) {
  const auto request = std::make_shared<ResumeChoice>();
  Command& command = root.add("resume", "Resumes paused jobs and drained devices.");
  Argument& ids =
      command.words("ID", request->jobs.ids, "A job's id or its beginning, or a device such as cuda:0.");
  ids.values = {.kind = Values::Kind::kJobOrDevice, .states = {v1::JOB_STATE_PAUSED}};
  request->jobs.add_flags(command);
  command.flag("--all-devices", request->all_devices, "All devices.");
  command.flag("--take", request->take,
               "Take the devices even if another daemon or program holds their locks.");
  command.run = [&context, request] { return resume(context, *request); };
}

}  // namespace weft::cli
