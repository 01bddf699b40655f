// SPDX-License-Identifier: Apache-2.0
// weft drain [DEVICE...]: devices finish running work and start no more.
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"
#include "client_cli/output/exit_codes.h"

namespace weft::cli {
namespace {

int run(const CommandContext& context, const std::vector<std::string>& ids) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto devices = client::Devices(*connection).drain(ids);
  if (!devices.ok()) return context.fail(devices.status());
  print_devices(context, *devices);
  return kExitDone;
}

}  // namespace

void add_drain(Command& root, CommandContext& context) {
  const auto ids = std::make_shared<std::vector<std::string>>();
  Command& command = root.add(
      "drain",
      "Drains devices: running jobs finish, no new ones start until `weft resume`. Default: all devices.");
  command.words("DEVICE", *ids, "A device: cpu, cuda:0, vulkan:0 ...").completed_by(Values::Kind::kDevice);
  command.run = [&context, ids] { return run(context, *ids); };
}

}  // namespace weft::cli
