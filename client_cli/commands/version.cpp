// SPDX-License-Identifier: Apache-2.0
// weft version: of this program, and of the daemon where one answers.
#include "client/server.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"

namespace weft::cli {
namespace {

int print_versions(const CommandContext& context) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto info = client::Server(*connection).info();
  const std::string daemon = info.ok() ? info->version() : "";
  if (context.json)
    context.print(fmt::format("{{\"weft\": {}, \"weftd\": {}}}\n", json_text(WEFT_VERSION),
                              daemon.empty() ? "null" : json_text(daemon)));
  else
    context.print(fmt::format("weft {}\nweftd {}\n", WEFT_VERSION,
                              daemon.empty() ? "(none answers at " + (*connection)->server() + ")" : daemon));
  return kExitDone;
}

}  // namespace

void add_version(Command& root, CommandContext& context) {
  root.add("version",
           "Prints the versions of this program and of the daemon; `weft --version`: its own alone.")
      .run = [&context] { return print_versions(context); };
}

}  // namespace weft::cli
