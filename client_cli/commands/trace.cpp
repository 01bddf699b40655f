// SPDX-License-Identifier: Apache-2.0
// weft trace ID [-o FILE]: the timeline of a job or a device, for Perfetto.
#include <algorithm>
#include <fstream>

#include "base/printable.h"
#include "client/traces.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

struct Trace {
  std::string id;
  std::string file;  // empty: standard output
};

std::string summary_of(const v1::ReadTraceResponse& trace, const std::string& file) {
  int64_t begin = trace.events_size() > 0 ? trace.events(0).start_ns() : 0, end = begin;
  for (const v1::TraceEvent& event : trace.events()) {
    begin = std::min(begin, event.start_ns());
    end = std::max(end, event.start_ns() + event.duration_ns());
  }
  std::string text = fmt::format("{}: {} events of {:.3f} s; https://ui.perfetto.dev opens it.\n",
                                 printable(file), trace.events_size(), double(end - begin) * 1e-9);
  if (trace.events_dropped() > 0)
    text += fmt::format("{} older events of {} were dropped: the timeline begins later than the work.\n",
                        trace.events_dropped(), trace.device());
  return text;
}

int run(const CommandContext& context, const Trace& command) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  v1::ReadTraceRequest request;
  if (is_device(command.id))
    request.set_device(command.id);
  else
    request.set_job_id(command.id);
  const auto trace = client::read_trace(**connection, request);
  if (!trace.ok()) return context.fail(trace.status());
  if (command.file.empty() || command.file == "-") {
    context.print(client::chrome_trace(*trace));
    return kExitDone;
  }
  std::ofstream file(command.file, std::ios::binary | std::ios::trunc);
  file << client::chrome_trace(*trace);
  file.close();
  if (!file) return context.fail(unavailable("The file '{}' cannot be written.", command.file));
  if (context.json)
    context.print(json_line({{"file", json_string(command.file)},
                             {"events", std::to_string(trace->events_size())},
                             {"events_dropped", std::to_string(trace->events_dropped())}}));
  else
    context.print(summary_of(*trace, command.file));
  return kExitDone;
}

}  // namespace

void add_trace(Command& root, CommandContext& context) {
  const auto trace = std::make_shared<Trace>();
  Command& command =
      root.add("trace", "Writes the timeline of a job or a device as Chrome trace events, for Perfetto.");
  command
      .word("ID", trace->id,
            "A job's id, or its beginning as `weft list` shows it; or a device's id (\"cuda:0\").")
      .require()
      .completed_by(Values::Kind::kJobOrDevice);
  command.value("-o,--output", "FILE", trace->file, "The file to write. Default: standard output (-).")
      .completed_by(Values::Kind::kFile);
  command.run = [&context, trace] { return run(context, *trace); };
}

}  // namespace weft::cli
