// SPDX-License-Identifier: Apache-2.0
// weft pause ID...
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"

namespace weft::cli {

void add_pause(Command& root, CommandContext& context) {
  add_steering(root, context, "pause", "Stops jobs now; they keep their place and what is finished.",
               [](client::Jobs& jobs, const std::string& id) { return jobs.pause(id); });
}

}  // namespace weft::cli
