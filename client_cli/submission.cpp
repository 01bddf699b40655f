// SPDX-License-Identifier: Apache-2.0
#include "client_cli/submission.h"

#include "client/draft.h"
#include "client/jobs.h"
#include "client/profiles.h"
#include "client_cli/exit_codes.h"
#include "client_cli/inputs.h"
#include "client_cli/text.h"
#include "options/values.h"

namespace weft::cli {
namespace {

using google::protobuf::Message;

std::string format_estimate(const v1::SubmitJobResponse& response) {
  const v1::JobSpec& spec = response.job().spec();
  const v1::JobEstimate& estimate = response.estimate();
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("  {:<10}{}\n", name, value);
  };
  const auto frames = [](int64_t count) { return count > 0 ? std::to_string(count) : "unknown"; };
  const Message& job = options::job_message(spec);
  for (const options::Option& option : options::options_of(job.GetDescriptor())) {
    const std::string value = options::format_value(job, option);
    if (option.path_kind() != v1::PATH_KIND_UNSPECIFIED && !value.empty())
      text += fmt::format("{:<12}{}\n", option.flag(), value);
  }
  line("reads", estimate.input_summary());
  line("writes", estimate.output_summary());
  line("frames", fmt::format("{} in, {} out", frames(estimate.frames_in()), frames(estimate.frames_out())));
  line("space", estimate.output_bytes() > 0
                    ? fmt::format("{} wanted, {} free", format_bytes(estimate.output_bytes()),
                                  format_bytes(estimate.free_bytes()))
                    : "not known");
  if (response.predictions().empty())
    line("time", "not known: no device takes the job now, or too many wait before it");
  for (const v1::DevicePrediction& prediction : response.predictions())
    line(prediction.chosen() ? "time" : "or", prediction.summary());
  std::string chosen;
  for (const options::Option& option : options::options_of(job.GetDescriptor()))
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED && !options::is_default(job, option))
      chosen += fmt::format("{}{} {}", chosen.empty() ? "" : ", ", option.flag(),
                            options::format_value(job, option));
  line("options", chosen);
  return text;
}

}  // namespace

std::string Submission::examples(std::string_view command) const {
  const auto input = client::input_option(kind);
  const bool images = input && input->declaration().sequence();
  const std::string_view lines = images
                                     ? "weft {0} {1} scene.exr -o out.exr{2}\n"
                                       "weft {0} {1} 'shot.%04d.exr' -o 'done/shot.%04d.exr' --missing skip\n"
                                       "weft {0} {1} *.hdr -o 'done/{{stem}}.exr' --dry-run\n"
                                       "weft {0} {1} in.mp4 -o out.mkv --encoder x265"
                                     : "weft {0} {1} in.ts -o out.mkv{2}\n"
                                       "weft {0} {1} *.ts -o 'done/{{stem}}.{{filter}}.mkv'\n"
                                       "weft {0} {1} @list.txt -o done/ --dry-run";
  return fmt::format(fmt::runtime(lines), command, kind.name, command == "submit" ? " --follow" : "");
}

void Submission::add_flags(Command& command) {
  std::vector<std::string> skip;
  if (const auto input = client::input_option(kind)) {
    skip.push_back(input->flag());
    const std::string help =
        input->help() + " Several make a job each; @FILE stands for the lines of a file.";
    command.words(input->value_name(), inputs, help).require().completed_by(Values::Kind::kFile);
  }
  if (const auto target = client::output_option(kind)) {
    skip.push_back(target->flag());
    Option flag = declare_flag(*target);
    flag.help +=
        " May hold fields: {dir}, {name}, {stem}, {ext}, {index}, {filter} ...; a folder means "
        "FOLDER/{stem}.{ext}.";
    flag.heading = "Job";
    flag.required = true;
    flag.has_stand_in = true;
    flag.set = [this](const std::vector<std::string>& given) {
      output = given.back();
      return ok_status();
    };
    command.add_option(std::move(flag));
  }
  spec.add(command, kind.message(), "Job", skip);
  settings.add(command, v1::JobSettings::descriptor(), "Queue");
  command
      .value("--profile", "NAME|FILE", profile,
             "Options from a profile that the dashboard or you saved; those that are given here count "
             "more. Its output counts where none is given.")
      .under("Job")
      .completed_by(Values::Kind::kFile);
  command.flag("--dry-run", dry_run, "Check and estimate only; print the jobs as they would be.")
      .under("Queue");
  command
      .value("--request-id", "ID", request_id,
             "A word of your own that makes repeating this command harmless: the same id is the same job. "
             "With several inputs "
             "-1, -2 ... is added.")
      .under("Queue");
  command
      .value(
          "--timeout", "TIME", timeout,
          "How long to wait for the jobs: 90, 5m, 1h30m. A daemon goes on with them after that; a `weft run` "
          "without one cancels them.")
      .under("Queue");
}

StatusOr<std::optional<double>> Submission::timeout_seconds() const {
  if (timeout.empty()) return std::optional<double>();
  ASSIGN_OR_RETURN(const double seconds, parse_seconds(timeout));
  return std::optional<double>(seconds);
}

StatusOr<std::vector<v1::SubmitJobRequest>> Submission::resolve() const {
  client::Draft draft{kind};
  if (!profile.empty()) {
    ASSIGN_OR_RETURN(draft.common, client::read_profile(profile));
    const auto other = options::job_kind_of(draft.common.spec());
    if (other && other->name != kind.name)
      return invalid_argument("The profile ({}) is for the job '{}'; use `{}` instead of `{}`.", profile,
                              other->name, other->name, kind.name);
  }
  Message& job = kind.choose(*draft.common.mutable_spec());
  RETURN_IF_ERROR(spec.fill(job));
  RETURN_IF_ERROR(settings.fill(*draft.common.mutable_settings()));
  ASSIGN_OR_RETURN(draft.inputs, expand_inputs(inputs));
  const auto target = client::output_option(kind);
  if (target) draft.output = output.empty() ? options::format_value(job, *target) : output;
  if (target && draft.output.empty())
    return invalid_argument("--{} is required; give it, or a profile that has one.", target->flag());
  ASSIGN_OR_RETURN(std::vector<v1::SubmitJobRequest> requests, client::requests_of(draft));
  for (size_t i = 0; i < requests.size(); i++) {
    const bool several = requests.size() > 1 && !request_id.empty();
    requests[i].set_request_id(several ? fmt::format("{}-{}", request_id, i + 1) : request_id);
  }
  return requests;
}

int send(const Context& context, const std::shared_ptr<client::Connection>& connection,
         const std::vector<v1::SubmitJobRequest>& requests, std::vector<v1::Job>& jobs) {
  client::Jobs client(connection);
  int code = kExitDone;
  for (const v1::SubmitJobRequest& request : requests) {
    auto response = client.submit(request);
    if (response.ok()) {
      jobs.push_back(std::move(*response->mutable_job()));
      continue;
    }
    code = worse(code, context.fail(response.status(), requests.size() > 1 ? client::input_of(request) : ""));
    if (code == kExitUnreachable) break;
  }
  return code;
}

int dry_run(const Context& context, const std::shared_ptr<client::Connection>& connection,
            std::vector<v1::SubmitJobRequest> requests) {
  client::Jobs client(connection);
  int code = kExitDone;
  for (v1::SubmitJobRequest& request : requests) {
    request.set_validate_only(true);
    const auto response = client.submit(request);
    if (!response.ok()) {
      code =
          worse(code, context.fail(response.status(), requests.size() > 1 ? client::input_of(request) : ""));
      if (code == kExitUnreachable) break;
    } else if (context.json) {
      context.print_json(*response);
    } else {
      context.print(format_estimate(*response));
    }
  }
  return code;
}

int follow_jobs(const Context& context, const std::shared_ptr<client::Connection>& connection,
                const std::vector<v1::Job>& jobs, FollowOptions options) {
  if (jobs.empty()) return kExitDone;
  for (const v1::Job& job : jobs) options.filter.add_ids(job.id());
  return follow(context, connection, options);
}

}  // namespace weft::cli
