// SPDX-License-Identifier: Apache-2.0
// weft version: versions of this program, and of the daemon if one answers.
#include "base/printable.h"
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
    context.print(json_line(
        {{"weft", json_string(WEFT_VERSION)}, {"weftd", daemon.empty() ? "null" : json_string(daemon)}}));
  else
    context.print(fmt::format("weft {}\nweftd {}\n", WEFT_VERSION,
                              daemon.empty() ? "(none answers at " + (*connection)->server() + ")" : daemon));
  return kExitDone;
}

}  // namespace

void add_version(Command& root, CommandContext& context) {
  root.add("version",
           "Prints the versions of this program and of the daemon; `weft --version` prints only its own.")
      .run = [&context] { return print_versions(context); };
}

}  // namespace weft::cli
