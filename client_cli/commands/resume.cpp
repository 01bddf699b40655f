// SPDX-License-Identifier: Apache-2.0
// weft resume ID|DEVICE...: paused jobs and drained devices go on.
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"
#include "client_cli/output/exit_codes.h"

namespace weft::cli {
namespace {

// "cpu", "cuda:0": no job's id looks like this (they have no ':' and no 'U').
bool is_device(const std::string& word) { return word == "cpu" || word.find(':') != std::string::npos; }

int resume_devices(const CommandContext& context, const std::vector<std::string>& ids, bool take) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto devices = client::Devices(*connection).resume(ids, take);
  if (!devices.ok()) return context.fail(devices.status());
  print_devices(context, *devices);
  return kExitDone;
}

int resume(const CommandContext& context, const std::vector<std::string>& words, bool all_devices,
           bool take) {
  if (words.empty() && !all_devices)
    return context.fail_usage(
        invalid_argument("Nothing is named; give ids of jobs, devices, or --all-devices."));
  std::vector<std::string> jobs, devices;
  for (const std::string& word : words) (is_device(word) ? devices : jobs).push_back(word);
  if (take && (devices.empty() || !jobs.empty() || all_devices))
    return context.fail_usage(invalid_argument(
        "--take needs the names of the devices to be taken, and takes nothing else; give them."));
  int code = kExitDone;
  if (all_devices || !devices.empty())
    code = resume_devices(context, all_devices ? std::vector<std::string>() : devices, take);
  if (jobs.empty()) return code;
  return worse(code, steer_jobs(context, jobs, [](client::Jobs& client, const std::string& id) {
                 return client.resume(id);
               }));
}

}  // namespace

void add_resume(Command& root, CommandContext& context) {
  const auto words = std::make_shared<std::vector<std::string>>();
  const auto all_devices = std::make_shared<bool>(false);
  const auto take = std::make_shared<bool>(false);
  Command& command = root.add("resume", "Lets paused jobs and drained devices go on.");
  command.words("ID", *words, "A job's id or its beginning, or a device such as cuda:0.")
      .completed_by(Values::Kind::kJob);
  command.flag("--all-devices", *all_devices, "All devices.");
  command.flag("--take", *take,
               "Takes the devices also from another daemon or program that holds their locks.");
  command.run = [&context, words, all_devices, take] { return resume(context, *words, *all_devices, *take); };
}

}  // namespace weft::cli
