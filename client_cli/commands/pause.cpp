// SPDX-License-Identifier: Apache-2.0
// weft pause ID...
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"

namespace weft::cli {

void add_pause(Command& root, CommandContext& context) {
  add_steering(
      root, context, "pause", "Pauses jobs; finished segments and the position in the queue are kept.",
      {"Pause", {v1::JOB_STATE_QUEUED, v1::JOB_STATE_RUNNING}, [](client::Jobs& jobs, const std::string& id) {
         return jobs.pause(id);
       }});
}

}  // namespace weft::cli
