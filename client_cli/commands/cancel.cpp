// SPDX-License-Identifier: Apache-2.0
// weft cancel ID...
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"

namespace weft::cli {

void add_cancel(Command& root, CommandContext& context) {
  add_steering(root, context, "cancel", "Cancels jobs and removes their unfinished output.",
               {"Cancel", kUnfinishedStates,
                [](client::Jobs& jobs, const std::string& id) { return jobs.cancel(id); }});
}

}  // namespace weft::cli
