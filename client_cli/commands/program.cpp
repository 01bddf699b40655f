// SPDX-License-Identifier: Apache-2.0
// Builds the command tree, reads the command line, runs the command.
#include <algorithm>
#include <clocale>
#include <cstdio>

#include "base/printable.h"
#include "client_cli/commands/commands.h"
#include "client_cli/context/signals.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"

namespace weft::cli {
namespace {

constexpr int kSignalExit = 128;     // as shells have it
constexpr size_t kWidestHelp = 100;  // columns; longer lines are hard to read

void inspect_streams(CommandContext& context) {
  const ColourChoice choice = context.colour == "always"  ? ColourChoice::kAlways
                              : context.colour == "never" ? ColourChoice::kNever
                                                          : ColourChoice::kAuto;
  context.out = inspect_terminal(1, choice);
  context.err = inspect_terminal(2, choice);
}

// Help that was asked for is data; help in place of a command that is missing is a mistake's
// answer.
int show_help(const CommandContext& context, const Parsed& parsed) {
  const bool asked = !parsed.incomplete;
  const Terminal& terminal = asked ? context.out : context.err;
  const size_t width = std::min(terminal.width, kWidestHelp);
  const std::string text = format_help(*parsed.command, *context.root, width, parsed.full_help, terminal);
  if (asked)
    context.print(text);
  else
    write_error(text);
  return asked ? kExitDone : kExitUsage;
}

// Without asking a daemon for its own, as `weft version` does.
int show_version(const CommandContext& context) {
  context.print(context.json ? json_line({{"weft", json_string(WEFT_VERSION)}, {"weftd", "null"}})
                             : "weft " WEFT_VERSION "\n");
  return kExitDone;
}

}  // namespace

void build_commands(Command& root, CommandContext& context) {
  context.root = &root;
  root.value("--server", "ADDRESS", context.server,
             "Address of the daemon: unix:PATH or HOST:PORT. Default: $WEFT_SERVER, else the usual sockets.");
  root.flag("--json", context.json, "Print JSON: one object, or one per line.");
  root.flag("-q,--quiet", context.quiet, "Print data and errors only.");
  Argument& colour =
      root.value("--color", "WHEN", context.colour, "When to colour: auto, always or never. Default: auto.");
  root.choose(colour, context.colour, {{"auto", "", 0}, {"always", "", 0}, {"never", "", 0}});
  for (const auto add :
       {add_submit, add_pipe,  add_list,    add_show,    add_watch,      add_cancel, add_pause,
        add_resume, add_drain, add_queue,   add_retry,   add_resubmit,   add_forget, add_priority,
        add_logs,   add_trace, add_explain, add_profile, add_devices,    add_stats,  add_bench,
        add_tune,   add_top,   add_server,  add_version, add_completion, add_help})
    add(root, context);
}

int run_program(const std::vector<std::string>& arguments) {
  std::setlocale(LC_CTYPE, "C.UTF-8");  // for the width of characters; numbers stay as they are
  Command root("weft", "The command line of weftd, the GPU processing daemon.");
  CommandContext context;
  build_commands(root, context);
  const std::vector<std::string> words(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  const auto parsed = parse(root, words);
  context.json =
      // a line that is wrong, too, is answered with an object
      context.json || has_flag(words, {"--json"});
  inspect_streams(context);
  if (!parsed.ok()) return context.fail_usage(parsed.status());
  const int code = parsed->version                      ? show_version(context)
                   : parsed->help || parsed->incomplete ? show_help(context, *parsed)
                                                        : parsed->command->run();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    write_error("weft: Standard output cannot be written; check the disk or the pipe.\n");
    return worse(code, kExitJobFailed);
  }
  return code == kExitInterrupted ? kSignalExit + Signals::last() : code;
}

}  // namespace weft::cli
