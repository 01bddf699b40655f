// SPDX-License-Identifier: Apache-2.0
// weft stats: the daemon's work by day, by owner and by kind of job, with failures.
#include "client/server.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/table.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

constexpr int kMostDays = 100000;  // the daemon limits the stored days

std::vector<Cell> row_of(const std::string& name, const v1::JobTotals& totals) {
  return {{name},
          {std::to_string(totals.succeeded())},
          {std::to_string(totals.failed()), totals.failed() > 0 ? TextColour::kRed : TextColour::kNone},
          {std::to_string(totals.cancelled())},
          {std::to_string(totals.units())},
          {format_duration(seconds_of(totals.gpu_time()))}};
}

Table table_of(const std::string& title) {
  return Table({{title},
                {"SUCCEEDED", Align::kRight},
                {"FAILED", Align::kRight},
                {"CANCELLED", Align::kRight},
                {"UNITS", Align::kRight},
                {"DEVICE TIME", Align::kRight}});
}

bool is_empty(const v1::JobTotals& totals) {
  return totals.succeeded() + totals.failed() + totals.cancelled() + totals.units() == 0;
}

std::string format(const Terminal& terminal, const v1::GetStatisticsResponse& statistics) {
  if (statistics.days().empty() || is_empty(statistics.total())) return "No job ended on these days.\n";
  Table days = table_of("DAY");
  for (const v1::DayTotals& day : statistics.days())
    if (!is_empty(day.totals())) days.add(row_of(day.day(), day.totals()));
  days.add(row_of("all", statistics.total()));
  std::string text = days.format(terminal);
  for (const auto& [title, names] :
       {std::pair{"OWNER", &statistics.owners()}, {"KIND", &statistics.kinds()}}) {
    Table table = table_of(title);
    for (const v1::NamedTotals& each : *names)
      table.add(row_of(each.name().empty() ? "-" : each.name(), each.totals()));
    text += "\n" + table.format(terminal);
  }
  if (statistics.failures().empty()) return text;
  Table failures({{"FAILED WITH"}, {"JOBS", Align::kRight}, {"THE NEWEST MESSAGE"}});
  for (const v1::FailureTotals& failure : statistics.failures())
    failures.add({{failure.reason()}, {std::to_string(failure.jobs())}, {failure.newest_message()}});
  return text + "\n" + failures.format(terminal);
}

int run(const CommandContext& context, const v1::GetStatisticsRequest& request) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto statistics = client::Server(*connection).statistics(request);
  if (!statistics.ok()) return context.fail(statistics.status());
  if (context.json)
    context.print_json(*statistics);
  else
    context.print(format(context.out, *statistics));
  return kExitDone;
}

}  // namespace

void add_stats(Command& root, CommandContext& context) {
  struct Range {
    std::string days, first, last;
  };
  const auto range = std::make_shared<Range>();
  Command& command = root.add("stats",
                              "Shows totals of finished work by day, owner and kind of job, with failures; "
                              "forgotten jobs are included.");
  command.value("--days", "N", range->days, "Number of days, the last one included. Default: 30.");
  command.value("--from", "DAY", range->first, "The first day, as 2026-11-22; instead of --days.");
  command.value("--to", "DAY", range->last, "The last day. Default: today.");
  command.run = [&context, range] {
    v1::GetStatisticsRequest request;
    if (!range->days.empty()) {
      const auto days = parse_whole("--days", range->days, 1, kMostDays);
      if (!days.ok()) return context.fail_usage(days.status());
      request.set_days(*days);
    }
    request.set_first_day(range->first);
    request.set_last_day(range->last);
    return run(context, request);
  };
}

}  // namespace weft::cli
