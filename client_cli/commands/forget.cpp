// SPDX-License-Identifier: Apache-2.0
// weft forget ID...
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"

namespace weft::cli {

void add_forget(Command& root, CommandContext& context) {
  add_steering(root, context, "forget",
               "Removes ended jobs from the history, with their logs and kept segments; outputs stay.",
               {"Forget",
                {v1::JOB_STATE_SUCCEEDED, v1::JOB_STATE_FAILED, v1::JOB_STATE_CANCELLED},
                [](client::Jobs& jobs, const std::string& id) { return jobs.forget(id); },
                "forgotten"});
}

}  // namespace weft::cli
