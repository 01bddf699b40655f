// SPDX-License-Identifier: Apache-2.0
// weft list: the jobs, newest first or as --sort says.
#include <algorithm>
#include <ctime>
#include <limits>

#include "client/jobs.h"
#include "client_cli/command_line/job_filter.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/job_columns.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

constexpr int kHighestLimit = 1000000;

struct List {
  FilterFlags filter;
  std::string limit = "100";
  std::string sort;
  std::string columns = kUsualColumns;
  bool all = false;
};

// Checks the names of columns before a daemon is asked.
Status check_columns(const List& list) {
  google::protobuf::RepeatedPtrField<v1::Job> none;
  if (!list.sort.empty()) RETURN_IF_ERROR(sort_jobs(none, list.sort));
  return format_jobs({}, none, list.columns, 0).status();
}

// The newest jobs, or the first ones of an order.
StatusOr<v1::ListJobsResponse> fetch(client::Jobs& jobs, const v1::JobFilter& filter, const List& list,
                                     int limit) {
  constexpr int kNoLimit = std::numeric_limits<int>::max();
  ASSIGN_OR_RETURN(v1::ListJobsResponse found,
                   jobs.list_all(filter, list.all || !list.sort.empty() ? kNoLimit : limit));
  if (list.sort.empty()) return found;
  RETURN_IF_ERROR(sort_jobs(*found.mutable_jobs(), list.sort));
  const int kept = list.all ? found.jobs_size() : std::min(limit, found.jobs_size());
  found.mutable_jobs()->DeleteSubrange(kept, found.jobs_size() - kept);
  return found;
}

int run(const CommandContext& context, const List& list) {
  const auto limit = parse_whole("--limit", list.limit, 1, kHighestLimit);
  if (!limit.ok()) return context.fail_usage(limit.status());
  if (const Status checked = check_columns(list); !checked.ok()) return context.fail_usage(checked);
  const auto filter = list.filter.resolve();
  if (!filter.ok()) return context.fail_usage(filter.status());
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  const auto found = fetch(jobs, *filter, list, *limit);
  if (!found.ok()) return context.fail(found.status());
  if (context.json) {
    context.print_json(*found);
    return kExitDone;
  }
  if (found->queue_paused()) context.note("The queue is paused: no job starts until `weft queue resume`.");
  if (found->jobs().empty()) {
    context.note(list.filter.is_given() ? "No job matches." : "There are no jobs.");
    return kExitDone;
  }
  const auto table = format_jobs(context.out, found->jobs(), list.columns, double(std::time(nullptr)));
  context.print(table.value_or(""));
  if (found->total() > found->jobs_size())
    context.note(fmt::format("{} of {}; --all shows every one.", found->jobs_size(),
                             format_count(found->total(), "job")));
  return kExitDone;
}

}  // namespace

void add_list(Command& root, CommandContext& context) {
  const auto list = std::make_shared<List>();
  Command& command = root.add("list", "Lists jobs, newest first.");
  list->filter.add(command);
  command.flag("--all", list->all, "List all jobs without a limit.");
  command.value("-n,--limit", "N", list->limit, "Number of jobs to list at most. Default: 100.")
      .without("--all");
  command
      .value("--sort", "COLUMN[,COLUMN]", list->sort,
             "Sort by these columns, by descending values with a minus in front: state,-priority. Default: "
             "newest "
             "first.")
      .values = {.kind = Values::Kind::kWord, .words = column_names(true), .is_list = true};
  command
      .value("--columns", "COLUMN[,COLUMN]", list->columns,
             fmt::format("Columns of the table; --json has every field. Default: {}.", kUsualColumns))
      .values = {.kind = Values::Kind::kWord, .words = column_names(false), .is_list = true};
  command.examples =
      "weft list --state running --state queued\n"
      "weft list --since 2h --sort -priority,age --columns id,state,owner,labels,path\n"
      "weft list --json | jq '.jobs[].id'";
  command.run = [&context, list] { return run(context, *list); };
}

}  // namespace weft::cli
