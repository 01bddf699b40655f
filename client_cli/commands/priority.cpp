// SPDX-License-Identifier: Apache-2.0
// weft priority N ID...
#include "client_cli/commands/commands.h"
#include "client_cli/commands/steer.h"

namespace weft::cli {
namespace {

constexpr int kLowest = -1000;
constexpr int kHighest = 1000;

struct Priority {
  std::string value;
  JobChoice choice;
};

int run(const CommandContext& context, const Priority& priority) {
  const auto value = parse_whole("The priority", priority.value, kLowest, kHighest);
  if (!value.ok()) return context.fail_usage(value.status());
  return steer_jobs(
      context, priority.choice,
      {"Change the priority of", kUnfinishedStates,
       [&](client::Jobs& jobs, const std::string& id) { return jobs.change_priority(id, *value); }});
}

}  // namespace

void add_priority(Command& root, CommandContext& context) {
  const auto priority = std::make_shared<Priority>();
  Command& command = root.add("priority", "Changes the priority of jobs; higher goes first.");
  command.word("N", priority->value, "The new priority, -1000 to 1000.").require();
  priority->choice.add(command, kUnfinishedStates);
  command.examples = "weft priority 10 01JBX3AB\nweft priority 10 --label batch=7 --yes";
  command.run = [&context, priority] { return run(context, *priority); };
}

}  // namespace weft::cli
