// SPDX-License-Identifier: Apache-2.0
// weft list: the jobs, newest first.
#include <ctime>

#include "client/jobs.h"
#include "client_cli/command_line/job_filter.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/table.h"
#include "client_cli/output/text.h"
#include "options/option.h"

namespace weft::cli {
namespace {

constexpr int kHighestLimit = 1000000;

struct List {
  FilterFlags filter;
  std::string limit_text = "100";
  int limit = 0;
  bool all = false;
};

std::vector<Cell> row_of(const v1::Job& job, size_t id_length, double now) {
  const bool running = job.state() == v1::JOB_STATE_RUNNING;
  const v1::JobProgress& progress = job.progress();
  return {
      {job.id().substr(0, id_length)},
      {options::choice_name(job.state()), state_colour(job.state())},
      {format_done(job)},
      {running && progress.units_per_second() > 0 ? fmt::format("{:.1f}", progress.units_per_second()) : "-"},
      {running && progress.has_eta() ? format_clock(seconds_of(progress.eta())) : "-"},
      {std::to_string(job.settings().priority())},
      {job.device().empty() ? "-" : job.device()},
      {format_age(now - seconds_of(job.submit_time()))},
      {job_files(job)}};
}

StatusOr<v1::ListJobsResponse> fetch(client::Jobs& jobs, const List& list, const v1::JobFilter& filter) {
  constexpr int kPage = 1000;
  v1::ListJobsRequest request;
  *request.mutable_filter() = filter;
  v1::ListJobsResponse result;
  while (true) {
    request.set_page_size(list.all ? kPage : std::min(kPage, list.limit - result.jobs_size()));
    ASSIGN_OR_RETURN(v1::ListJobsResponse page, jobs.list(request));
    request.set_page_token(page.next_page_token());
    page.mutable_jobs()->Swap(result.mutable_jobs());
    page.MergeFrom(result);  // the jobs of this page after those of earlier ones
    result.Swap(&page);
    const bool enough = !list.all && result.jobs_size() >= list.limit;
    if (request.page_token().empty() || enough) return result;
  }
}

int run(const CommandContext& context, List list) {
  const auto limit = parse_whole("--limit", list.limit_text, 1, kHighestLimit);
  if (!limit.ok()) return context.fail_usage(limit.status());
  list.limit = *limit;
  const auto filter = list.filter.resolve();
  if (!filter.ok()) return context.fail_usage(filter.status());
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  const auto found = fetch(jobs, list, *filter);
  if (!found.ok()) return context.fail(found.status());
  if (context.json) {
    context.print_json(*found);
    return kExitDone;
  }
  if (found->jobs().empty()) {
    context.note(filter->ByteSizeLong() == 0 ? "There are no jobs." : "No job matches.");
    return kExitDone;
  }
  Table table({{"ID"},
               {"STATE"},
               {"DONE", Align::kRight},
               {"FPS", Align::kRight},
               {"ETA", Align::kRight},
               {"PRIORITY", Align::kRight},
               {"DEVICE"},
               {"AGE", Align::kRight},
               {"FILES"}});
  std::vector<std::string> ids;
  for (const v1::Job& job : found->jobs()) ids.push_back(job.id());
  const size_t id_length = short_id_length(ids);
  for (const v1::Job& job : found->jobs()) table.add(row_of(job, id_length, double(std::time(nullptr))));
  context.print(table.format(context.out));
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
  command.flag("--all", list->all, "List every job, however many there are.");
  command.value("-n,--limit", "N", list->limit_text, "List at most so many. Default: 100.").without("--all");
  command.examples = "weft list --state running --state queued\nweft list --json | jq '.jobs[].id'";
  command.run = [&context, list] { return run(context, *list); };
}

}  // namespace weft::cli
