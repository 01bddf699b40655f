// SPDX-License-Identifier: Apache-2.0
// weft explain ID: why a job is where it is. weft explain --graph ID, or FILTERS IN: the plan of
// filters.
#include <filesystem>

#include "base/printable.h"
#include "client/draft.h"
#include "client/jobs.h"
#include "client/paths.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/submission.h"
#include "client_cli/output/exit_codes.h"
#include "options/chain.h"
#include "options/frame_pattern.h"
#include "options/option.h"
#include "options/values.h"

namespace weft::cli {
namespace {

struct Explain {
  std::string subject;  // a job's id, or filters
  std::string input;    // input of the filters
  bool graph = false;
};

int explain_job(const CommandContext& context, client::Jobs& jobs, const std::string& id) {
  const auto answer = jobs.explain(id);
  if (!answer.ok()) return context.fail(answer.status());
  if (context.json) {
    context.print_json(*answer);
    return kExitDone;
  }
  const v1::JobState state = answer->job().state();
  context.print(fmt::format("{}: {}\n", answer->job().id(),
                            paint(context.out, state_colour(state), options::choice_name(state))));
  for (const std::string& reason : answer->reasons()) context.print(fmt::format("- {}\n", printable(reason)));
  return kExitDone;
}

// A file that is named and never written.
std::string unwritten(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("weft-plan." + name)).string();
}

// The job's own outputs may be those of the job itself, while it runs.
Status rename_outputs(v1::JobSpec& spec) {
  const auto kind = options::job_kind_of(spec);
  if (!kind) return ok_status();
  google::protobuf::Message& job = kind->choose(spec);
  for (const options::Option& option : options::options_of(kind->message())) {
    if (option.path_kind() != v1::PATH_KIND_OUTPUT_FILE || !options::is_set(job, option)) continue;
    const std::filesystem::path path = options::format_value(job, option);
    RETURN_IF_ERROR(options::set_from_text(job, option, unwritten(path.filename().string())));
  }
  return ok_status();
}

// A job that takes the file through the filters.
StatusOr<v1::SubmitJobRequest> request_of(const Explain& explain) {
  ASSIGN_OR_RETURN(const std::vector<options::JobKind> kinds, kinds_that_take(explain.subject));
  client::Draft draft{options::kind_for_output(kinds, explain.input)};
  RETURN_IF_ERROR(options::parse_chain(explain.subject, draft.kind.choose(*draft.common.mutable_spec()),
                                       *draft.kind.chain()));
  draft.inputs = {client::absolute_path(explain.input)};
  const auto& extensions = draft.kind.declaration().output_extensions();
  const std::string extension = extensions.empty() ? "mkv" : extensions[0];
  draft.output =
      unwritten(options::has_frame_field(explain.input) ? fmt::format("%04d.{}", extension) : extension);
  ASSIGN_OR_RETURN(const std::vector<v1::SubmitJobRequest> requests, client::requests_of(draft));
  return requests[0];
}

int print_graph(const CommandContext& context, client::Jobs& jobs, v1::SubmitJobRequest request) {
  request.set_validate_only(true);
  request.set_plan_graph(true);
  request.mutable_settings()->set_overwrite(true);
  const auto response = jobs.submit(request);
  if (!response.ok()) return context.fail(response.status());
  if (context.json) {
    context.print_json(*response);
    return kExitDone;
  }
  const std::string& graph = response->estimate().plan_graph();
  if (graph.empty())
    return context.fail(failed_precondition("A job '{}' has no chain of filters, and therefore no plan.",
                                            options::kind_name(request.spec())));
  context.print(graph);
  return kExitDone;
}

int run(const CommandContext& context, const Explain& explain) {
  if (!explain.graph && !explain.input.empty())
    return context.fail_usage(
        invalid_argument("A file ({}) follows filters; add --graph to print their plan.", explain.input));
  const bool is_chain = explain.graph && kinds_that_take(explain.subject).ok();
  if (is_chain && explain.input.empty())
    return context.fail_usage(invalid_argument(
        "The plan of filters ({}) depends on their input; add a file after them.", explain.subject));
  v1::SubmitJobRequest request;
  if (!explain.input.empty()) {
    auto made = request_of(explain);
    if (!made.ok()) return context.fail_usage(made.status());
    request = *std::move(made);
  }
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  if (!explain.graph) return explain_job(context, jobs, explain.subject);
  if (explain.input.empty()) {
    const auto job = jobs.get(explain.subject);
    if (!job.ok()) return context.fail(job.status());
    *request.mutable_spec() = job->spec();
    if (const Status renamed = rename_outputs(*request.mutable_spec()); !renamed.ok())
      return context.fail(renamed);
  }
  return print_graph(context, jobs, std::move(request));
}

}  // namespace

void add_explain(Command& root, CommandContext& context) {
  const auto explain = std::make_shared<Explain>();
  Command& command = root.add(
      "explain", "Explains a job's state and device; with --graph, prints the plan of a job or of filters.");
  command
      .word("ID|FILTERS", explain->subject,
            fmt::format("{} With --graph also filters, as `weft submit` takes them.", kIdHelp))
      .require()
      .completed_by(Values::Kind::kJob);
  command.word("IN", explain->input, "Input of the filters.").completed_by(Values::Kind::kFile);
  command.flag(
      "--graph", explain->graph,
      "Print the plan of the filters in Graphviz's DOT language: nodes with their lag and batch, edges "
      "with format and rate.");
  command.examples = "weft explain 01JB\nweft explain --graph FILTERS IN | dot -Tsvg > plan.svg";
  command.run = [&context, explain] { return run(context, *explain); };
}

}  // namespace weft::cli
