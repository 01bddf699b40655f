// SPDX-License-Identifier: Apache-2.0
// weft retry ID...
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"

namespace weft::cli {

void add_retry(Command& root, CommandContext& context) {
  add_steering(root, context, "retry", "Queues failed or cancelled jobs again.",
               {"Retry",
                {v1::JOB_STATE_FAILED, v1::JOB_STATE_CANCELLED},
                [](client::Jobs& jobs, const std::string& id) { return jobs.retry(id); }});
}

}  // namespace weft::cli
