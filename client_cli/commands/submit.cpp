// SPDX-License-Identifier: Apache-2.0
// weft submit FILTERS|KIND IN... -o OUT: adds jobs to the queue. weft run: the same, with a daemon
// of its own where none answers, and waits.
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/daemon_choice.h"
#include "client_cli/jobs/results.h"
#include "client_cli/jobs/submission.h"
#include "client_cli/output/exit_codes.h"
#include "options/words.h"

namespace weft::cli {
namespace {

struct Submit : SubmitCommand {
  using SubmitCommand::SubmitCommand;
  bool runs = false;      // as `weft run`
  bool analyses = false;  // as `weft analyse`
};

// Sends and follows the jobs of `weft run`. The jobs that were accepted are added to `jobs`.
int run_jobs(const CommandContext& context, const Submit& submit,
             const std::shared_ptr<client::Connection>& connection,
             const std::vector<v1::SubmitJobRequest>& requests, FollowOptions options,
             std::vector<v1::Job>& jobs) {
  if (submit.sending.dry_run) return dry_run(context, connection, requests);
  const int code = send(context, connection, requests, jobs);
  // Standard output is the result's where a job writes no file.
  const bool prints_results = !submit.kinds[0].output_option();
  CommandContext following = context;
  following.json = context.json && !prints_results;
  options.progress = !submit.sending.wait;
  const int followed = follow_jobs(following, connection, jobs, options);
  if (prints_results) print_results(context, connection, jobs);
  return worse(code, followed);
}

// Refuses options that exclude each other.
Status check_flags(const Submit& submit) {
  if (!submit.runs) return submit.sending.check_timeout();
  RETURN_IF_ERROR(submit.sending.timeout_seconds().status());
  if (submit.sending.detach)
    return invalid_argument("--detach is not for `weft run`, which waits for its jobs; use `weft submit`.");
  return ok_status();
}

// Removes inputs with names that cannot be sent, with an error for each; the others are submitted
// nevertheless.
int remove_unusable(const CommandContext& context, std::vector<std::string>& inputs) {
  const size_t all = inputs.size();
  std::erase_if(inputs, [&](const std::string& input) {
    if (options::is_utf8(input)) return false;
    context.fail(invalid_argument(
                     "The name of the file is not valid UTF-8, which is all that can be sent; rename it."),
                 input);
    return true;
  });
  return inputs.size() == all ? kExitDone : kExitUsage;
}

// Refuses an output that is not a file of decisions.
Status check_decisions(const std::vector<v1::SubmitJobRequest>& requests) {
  for (const v1::SubmitJobRequest& request : requests)
    if (const std::string& output = request.spec().video().output(); !output.ends_with(".json"))
      return invalid_argument(
          "`weft analyse` writes decisions as JSON, and the output ({}) is not a .json file of a video's; "
          "give "
          "-o decisions.json.",
          output);
  return ok_status();
}

int run_usable(const CommandContext& context, const Submit& submit) {
  const auto requests = submit.resolve();
  if (!requests.ok()) return context.fail_usage(requests.status());
  if (const Status checked = check_flags(submit); !checked.ok()) return context.fail_usage(checked);
  if (submit.analyses)
    if (const Status checked = check_decisions(*requests); !checked.ok()) return context.fail_usage(checked);
  if (submit.sending.makes_folders && !submit.sending.dry_run)
    if (const Status made = make_output_folders(*requests); !made.ok()) return context.fail(made);
  if (submit.runs) {
    FollowOptions options;
    options.timeout_seconds = submit.sending.timeout_seconds().value_or(std::nullopt);
    return work_with_daemon(
        context, options,
        [&](const auto& connection, const FollowOptions& follow, std::vector<v1::Job>& jobs) {
          return run_jobs(context, submit, connection, *requests, follow, jobs);
        });
  }
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  std::vector<v1::Job> jobs;
  const int code = submit_jobs(context, submit.sending, *connection, *requests, jobs);
  if (code == kExitUnreachable && jobs.empty()) context.note("`weft run` does the same without a daemon.");
  return code;
}

int run(const CommandContext& context, Submit submit) {
  const int code = remove_unusable(context, submit.inputs);
  if (code != kExitDone && submit.inputs.empty()) return code;
  return worse(run_usable(context, submit), code);
}

void add_submission(Command& parent, CommandContext& context, const std::shared_ptr<Submit>& state) {
  Command& command = parent.add(state->name(), state->summary());
  state->add_flags(command);
  state->sending.add_wait_flags(command);
  command.is_default = state->has_filters_word;
  command.check_first_word = [](const std::string& word) { return kinds_that_take(word).status(); };
  command.examples = state->examples(parent.name);
  command.run = [&context, state] { return run(context, *state); };
}

Command& add_submissions(Command& root, CommandContext& context, const char* name, const char* summary,
                         bool runs, bool analyses = false) {
  Command& parent = root.add(name, summary);
  std::vector<std::shared_ptr<Submit>> all{std::make_shared<Submit>()};
  if (!analyses)
    for (const options::JobKind& kind : options::job_kinds()) all.push_back(std::make_shared<Submit>(kind));
  for (const auto& state : all) {
    state->runs = runs;
    state->analyses = analyses;
    add_submission(parent, context, state);
  }
  parent.examples = all[0]->examples(name);
  return parent;
}

}  // namespace

void add_submit(Command& root, CommandContext& context) {
  const Command& submit = add_submissions(root, context, "submit", "Adds jobs to the queue.", false);
  add_submissions(
      root, context, "run",
      "Runs jobs and shows the progress: `weft submit` that starts its own daemon if none answers.", true)
      .same_as = &submit;
  Command& analyse = add_submissions(root, context, "analyse",
                                     "Measures videos and writes the decisions of the filters' analyses, for "
                                     "`weft submit --decisions`.",
                                     true, true);
  analyse.same_as = &submit;
  analyse.examples =
      "weft analyse --profile film in.ts -o decisions.json\n"
      "weft submit --profile film in.ts -o out.mkv --decisions decisions.json";
  root.examples = submit.examples;
}

}  // namespace weft::cli
