// SPDX-License-Identifier: Apache-2.0
#include "client_cli/submission.h"

#include "client/jobs.h"
#include "client_cli/exit_codes.h"
#include "client_cli/inputs.h"
#include "client_cli/output_template.h"
#include "client_cli/text.h"
#include "options/values.h"

namespace weft::cli {
namespace {

using google::protobuf::Message;

std::optional<options::Option> required_path(const options::JobKind& kind, v1::PathKind path) {
  for (options::Option& option : options::options_of(kind.message()))
    if (option.required() && option.path_kind() == path) return std::move(option);
  return std::nullopt;
}

// {filter}, {encoder} ...: the values that the job will have, defaults included.
void add_option_fields(const Message& job, TemplateFields& fields) {
  const std::unique_ptr<Message> complete(job.New());
  complete->CopyFrom(job);
  options::apply_defaults(*complete);
  for (const options::Option& option : options::options_of(job.GetDescriptor()))
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED && !option.is_repeated())
      fields[option.flag()] = options::format_value(*complete, option);
}

std::string what_it_is(const v1::SubmitJobRequest& request) {
  const std::vector<std::string> inputs = options::paths_of(request.spec(), v1::PATH_KIND_INPUT_FILE);
  return inputs.empty() ? "" : inputs[0];
}

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
  if (estimate.output_bytes() > 0)
    line("space", fmt::format("{} wanted, {} free", format_bytes(estimate.output_bytes()),
                              format_bytes(estimate.free_bytes())));
  std::string chosen;
  for (const options::Option& option : options::options_of(job.GetDescriptor()))
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED && options::is_set(job, option) && !option.advanced())
      chosen += fmt::format("{}{} {}", chosen.empty() ? "" : ", ", option.flag(),
                            options::format_value(job, option));
  line("options", chosen);
  return text;
}

}  // namespace

std::string Submission::examples(std::string_view command) const {
  const bool images = input_option() && input_option()->declaration().sequence();
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

std::optional<options::Option> Submission::input_option() const {
  return required_path(kind, v1::PATH_KIND_INPUT_FILE);
}
std::optional<options::Option> Submission::output_option() const {
  return required_path(kind, v1::PATH_KIND_OUTPUT_FILE);
}

void Submission::add_flags(Command& command) {
  std::vector<std::string> skip;
  if (const auto input = input_option()) {
    skip.push_back(input->flag());
    const std::string help =
        input->help() + " Several make a job each; @FILE stands for the lines of a file.";
    command.words(input->value_name(), inputs, help).require().completed_by(Values::Kind::kFile);
  }
  if (const auto target = output_option()) {
    skip.push_back(target->flag());
    Option flag = declare_flag(*target);
    flag.help +=
        " May hold fields: {dir}, {name}, {stem}, {ext}, {index}, {filter} ...; a folder means "
        "FOLDER/{stem}.{ext}.";
    flag.heading = "Job";
    flag.required = true;
    flag.set = [this](const std::vector<std::string>& given) {
      output = given.back();
      return ok_status();
    };
    command.add_option(std::move(flag));
  }
  spec.add(command, kind.message(), "Job", skip);
  settings.add(command, v1::JobSettings::descriptor(), "Queue");
  command.flag("--dry-run", dry_run, "Check and estimate only; print the jobs as they would be.")
      .under("Queue");
  command
      .value("--request-id", "ID", request_id,
             "A word of your own that makes repeating this command harmless: the same id is the same job. "
             "With several inputs "
             "-1, -2 ... is added.")
      .under("Queue");
  command
      .value("--timeout", "TIME", timeout,
             "How long to wait for the jobs: 90, 5m, 1h30m. They go on after that.")
      .under("Queue");
}

StatusOr<std::optional<double>> Submission::timeout_seconds() const {
  if (timeout.empty()) return std::optional<double>();
  ASSIGN_OR_RETURN(const double seconds, parse_seconds(timeout));
  return std::optional<double>(seconds);
}

StatusOr<std::vector<v1::SubmitJobRequest>> Submission::resolve() const {
  v1::SubmitJobRequest common;
  RETURN_IF_ERROR(spec.fill(kind.choose(*common.mutable_spec())));
  RETURN_IF_ERROR(settings.fill(*common.mutable_settings()));
  ASSIGN_OR_RETURN(const std::vector<std::string> files, expand_inputs(inputs));
  std::vector<v1::SubmitJobRequest> requests(std::max<size_t>(1, files.size()), common);
  for (size_t i = 0; i < files.size(); i++)
    RETURN_IF_ERROR(
        options::set_from_text(kind.choose(*requests[i].mutable_spec()), *input_option(), files[i]));
  RETURN_IF_ERROR(set_paths(requests));
  for (size_t i = 0; i < requests.size(); i++) {
    const bool several = requests.size() > 1 && !request_id.empty();
    requests[i].set_request_id(several ? fmt::format("{}-{}", request_id, i + 1) : request_id);
  }
  return requests;
}

Status Submission::set_paths(std::vector<v1::SubmitJobRequest>& requests) const {
  const auto target = output_option();
  if (!target) return ok_status();
  std::vector<std::string> files;
  std::vector<TemplateFields> fields;
  for (size_t i = 0; i < requests.size(); i++) {
    files.push_back(what_it_is(requests[i]));
    fields.push_back(path_fields(files.back(), i + 1));
    add_option_fields(options::job_message(requests[i].spec()), fields.back());
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> outputs, expand_outputs(output, files, fields));
  for (size_t i = 0; i < requests.size(); i++) {
    Message& job = kind.choose(*requests[i].mutable_spec());
    RETURN_IF_ERROR(options::set_from_text(job, *target, outputs[i]));
    RETURN_IF_ERROR(set_other_paths(job, fields[i]));
  }
  return ok_status();
}

// As the command line gives them they are relative, and those of outputs may have fields.
Status Submission::set_other_paths(Message& job, const TemplateFields& fields) const {
  for (const options::Option& option : options::options_of(kind.message())) {
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED || option.required()) continue;
    std::string path = options::format_value(job, option);
    if (path.empty()) continue;
    if (option.path_kind() == v1::PATH_KIND_OUTPUT_FILE) {
      ASSIGN_OR_RETURN(path, expand_template(path, fields));
    }
    RETURN_IF_ERROR(options::set_from_text(job, option, absolute_path(path)));
  }
  return ok_status();
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
    code = worse(code, context.fail(response.status(), requests.size() > 1 ? what_it_is(request) : ""));
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
      code = worse(code, context.fail(response.status(), requests.size() > 1 ? what_it_is(request) : ""));
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
