// SPDX-License-Identifier: Apache-2.0
// weft show ID...: all that is known of a job.
#include <algorithm>
#include <ctime>

#include <google/protobuf/util/json_util.h>

#include "client/jobs.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/progress.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/page.h"
#include "client_cli/output/table.h"
#include "client_cli/output/text.h"
#include "options/job_files.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::cli {
namespace {

void add_times(Page& page, const v1::Job& job) {
  const double now = double(std::time(nullptr));
  const auto line = [&](std::string_view name, const google::protobuf::Timestamp& time) {
    if (time.seconds() > 0)
      page.line(name, fmt::format("{} ({} ago)", format_time(time), format_age(now - seconds_of(time))));
  };
  line("Submitted", job.submit_time());
  line("Started", job.start_time());
  line("Ended", job.end_time());
}

// Adds a row for an attempt, or for a task of it on another device.
template <class Run>
void add_row(Table& table, std::string name, const Run& run) {
  const double took = seconds_of(run.end_time()) - seconds_of(run.start_time());
  table.add({{std::move(name)},
             {run.device()},
             {run.has_end_time() ? format_duration(took) : "-"},
             {run.has_error() ? run.error().message() : "-"}});
}

void add_attempts(Page& page, const v1::Job& job) {
  const bool has_tasks = std::ranges::any_of(
      job.attempts(), [](const v1::JobAttempt& attempt) { return attempt.tasks_size() > 0; });
  if (job.attempts_size() < 2 && !(job.attempts_size() == 1 && job.attempts(0).has_error()) && !has_tasks)
    return;
  Table table({{"  ATTEMPT", Align::kRight}, {"DEVICE"}, {"TOOK", Align::kRight}, {"ENDED WITH"}});
  for (const v1::JobAttempt& attempt : job.attempts()) {
    add_row(table, std::to_string(attempt.number()), attempt);
    for (const v1::JobTask& task : attempt.tasks())
      add_row(table, fmt::format("{}.{}", attempt.number(), task.number()), task);
  }
  page.heading("Attempts");
  page.add(table.format(page.terminal()));
}

// A line of sha256sum, or the hash of a list of several files.
std::string hash_text(const v1::OutputHash& hash) {
  if (hash.files() == 0) return fmt::format("{}  {}", hash.sha256(), hash.path());
  return fmt::format("{}  (list of {}) {}", hash.sha256(), format_count(hash.files(), "file"), hash.path());
}

std::string rate_text(const v1::JobResult& result, double seconds, const options::JobKind& kind) {
  const std::string& unit = kind.declaration().unit();
  const double in = double(result.units_in()) / seconds, out = double(result.units_out()) / seconds;
  if (!kind.input_option() || result.units_in() == result.units_out()) return format_rate(in, unit);
  return fmt::format("{} in, {} out", format_rate(in, unit), format_rate(out, unit));
}

void add_result(Page& page, const v1::JobResult& result, const options::JobKind& kind) {
  const std::string& unit = kind.declaration().unit();
  page.heading("Result");
  page.line(fmt::format("  {}s", unit),
            kind.input_option() ? fmt::format("{} in, {} out", result.units_in(), result.units_out())
                                : std::to_string(result.units_in()));
  if (kind.output_option()) page.line("  size", format_bytes(result.output_bytes()));
  for (const v1::OutputHash& hash : result.output_hashes()) page.line("  sha256", hash_text(hash));
  const double wall = seconds_of(result.wall_time());
  page.line("  time", fmt::format("{}, of it {} on the device", format_duration(wall),
                                  format_duration(seconds_of(result.gpu_time()))));
  if (wall > 0) page.line("  rate", rate_text(result, wall, kind));
  for (const v1::StageRate& stage : result.stages())
    if (const double busy = seconds_of(stage.busy()); busy > 0)
      page.line("  " + stage.stage(),
                fmt::format("{} alone, {:.0f}% of the time", format_rate(double(stage.units()) / busy, unit),
                            wall > 0 ? 100 * busy / wall : 0.0));
  if (result.segments() > 0)
    page.line("  segments", result.segments_resumed() > 0
                                ? fmt::format("{}, of them {} from earlier attempts", result.segments(),
                                              result.segments_resumed())
                                : std::to_string(result.segments()));
  if (result.corrupt_packets() > 0)
    page.line("  corrupt", format_count(result.corrupt_packets(), "packet") + ", concealed by the decoder",
              TextColour::kYellow);
  for (const std::string& note : result.notes()) page.line("  note", note);
}

// A name as a table of exceptions has it: letters that say something there are marked, and those
// that a table does not show, or that the daemon could not read, are a ?, which stands for any.
std::string table_name(std::string_view name) {
  constexpr std::string_view kUnread = "\uFFFD";
  std::string text;
  while (!name.empty()) {
    size_t bytes = 1;
    // continuation bytes of UTF-8
    while (bytes < name.size() && (name[bytes] & 0xC0) == 0x80) bytes++;
    const std::string_view letter = name.substr(0, bytes);
    name.remove_prefix(bytes);
    const bool is_sign = letter == "*" || letter == "?" || letter == "\\" || (text.empty() && letter == "#");
    if (is_sign)
      text += fmt::format("\\{}", letter);
    else
      text += letter == kUnread || printable(letter) != letter ? "?" : letter;
  }
  return text;
}

// A name, a tab, the reason.
std::string exception_line(const v1::UpsampleException& exception) {
  return fmt::format("{}\t{}\n", table_name(exception.name()), printable(exception.reason()));
}

std::string exception_lines(const v1::Job& job) {
  std::string lines;
  for (const v1::UpsampleException& exception : job.result().textures().exceptions())
    lines += exception_line(exception);
  return lines;
}

std::string format(const CommandContext& context, const v1::Job& job) {
  Page page(context.out);
  page.line("Job", job.id(), TextColour::kBold);
  std::string state = options::choice_name(job.state());
  if (!job.device().empty()) state += " on " + client::devices_text(job);
  if (job.attempt() > 1) state += fmt::format(", attempt {}", job.attempt());
  page.line("State", state, state_colour(job.state()));
  page.line("Waiting", job.waiting_reason());
  if (job.has_error()) page.line("Error", job.error().message(), TextColour::kRed);
  const bool waits_with_some = job.state() == v1::JOB_STATE_QUEUED && job.progress().units_done() > 0;
  if (job.state() == v1::JOB_STATE_RUNNING || job.state() == v1::JOB_STATE_PAUSED || waits_with_some) {
    page.line("Progress", format_progress(job.progress(), options::unit_of(job.spec())));
    page.line("Stage", job.progress().stage());
    page.line("Limited by", job.progress().limited_by());
  }
  const bool has_work = job.state() != v1::JOB_STATE_SUCCEEDED && job.state() != v1::JOB_STATE_CANCELLED;
  if (has_work && !job.work_location().empty()) page.line("Work", options::work_folder_of(job));
  add_times(page, job);
  const auto kind = options::job_kind_of(job.spec());
  const int left_out = page.add_options(kind ? kind->name : "job", options::job_message(job.spec())) +
                       page.add_options("queue", job.settings());
  if (left_out > 0)
    page.line("Defaults", fmt::format("{}; `weft show --json {}` has them.",
                                      format_count(left_out, "more option"), job.id()));
  add_attempts(page, job);
  if (kind && job.state() == v1::JOB_STATE_SUCCEEDED) add_result(page, job.result(), *kind);
  return page.take();
}

// The order of the job's attempt, as fields of the job in protobuf's JSON: the input of
// `weft-worker --job`.
std::string order_of(const v1::Job& job) {
  v1::Job order;
  order.set_id(job.id());
  order.set_attempt(job.attempt());
  order.set_device(job.device());
  *order.mutable_spec() = job.spec();
  *order.mutable_settings() = job.settings();
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  static_cast<void>(google::protobuf::util::MessageToJsonString(order, &text, options).ok());
  return text + "\n";
}

struct ShowRequest {
  std::vector<std::string> ids;
  bool order = false;
  bool exceptions = false;
  bool decisions = false;
};

int run(const CommandContext& context, const ShowRequest& request) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  int code = kExitDone;
  bool first = true;
  for (const std::string& id : request.ids) {
    const auto job = jobs.get(id);
    if (!job.ok()) {
      code = worse(code, context.fail(job.status()));
      continue;
    }
    if (request.decisions) {
      const auto text = jobs.read_decisions(job->id());
      if (text.ok())
        context.print(*text);
      else
        code = worse(code, context.fail(text.status()));
    } else if (request.order)
      context.print(order_of(*job));
    else if (context.json)
      context.print_json(*job);
    else if (request.exceptions)
      context.print(exception_lines(*job));
    else
      context.print((std::exchange(first, false) ? "" : "\n") + format(context, *job));
  }
  return code;
}

}  // namespace

void add_show(Command& root, CommandContext& context) {
  const auto request = std::make_shared<ShowRequest>();
  Command& command = root.add("show", "Shows all details of jobs.");
  command.words("ID", request->ids, kIdHelp).require().completed_by(Values::Kind::kJob);
  command.flag("--exceptions", request->exceptions,
               "Print lines for a table of exceptions: textures degraded by a network, with the reason.");
  command.flag("--decisions", request->decisions,
               "Print the decisions of the job's analyses as JSON, for `--decisions FILE` of another job.");
  command.flag("--order", request->order,
               "Print the order of the job to its worker as JSON, for `weft-worker --job`.");
  command.run = [&context, request] { return run(context, *request); };
}

}  // namespace weft::cli
