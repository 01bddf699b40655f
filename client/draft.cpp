// SPDX-License-Identifier: Apache-2.0
#include "client/draft.h"

#include <memory>

#include "client/output_template.h"
#include "client/paths.h"
#include "options/validate.h"
#include "options/values.h"

namespace weft::client {
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

// The same complaint, of that option.
Status about(const Draft& draft, const options::Option& option, const Status& status) {
  if (status.code() != StatusCode::kInvalidArgument) return status;
  return options::to_status({{field_name(draft.kind, option), message_of(status)}});
}

// They may be relative, and those of outputs may have fields.
Status set_other_paths(const Draft& draft, Message& job, const TemplateFields& fields) {
  for (const options::Option& option : options::options_of(draft.kind.message())) {
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED || option.required()) continue;
    std::string path = options::format_value(job, option);
    if (path.empty()) continue;
    if (option.path_kind() == v1::PATH_KIND_OUTPUT_FILE) {
      auto expanded = expand_template(path, fields);
      if (!expanded.ok()) return about(draft, option, expanded.status());
      path = *std::move(expanded);
    }
    if (const Status set = options::set_from_text(job, option, absolute_path(path)); !set.ok())
      return about(draft, option, set);
  }
  return ok_status();
}

Status set_outputs(const Draft& draft, std::vector<v1::SubmitJobRequest>& requests) {
  const auto target = output_option(draft.kind);
  if (!target) return ok_status();
  std::vector<std::string> files;
  std::vector<TemplateFields> fields;
  for (size_t i = 0; i < requests.size(); i++) {
    files.push_back(input_of(requests[i]));
    fields.push_back(path_fields(files.back(), i + 1));
    add_option_fields(options::job_message(requests[i].spec()), fields.back());
  }
  const auto outputs = expand_outputs(draft.output, files, fields);
  if (!outputs.ok()) return about(draft, *target, outputs.status());
  for (size_t i = 0; i < requests.size(); i++) {
    Message& job = draft.kind.choose(*requests[i].mutable_spec());
    if (const Status set = options::set_from_text(job, *target, (*outputs)[i]); !set.ok())
      return about(draft, *target, set);
    RETURN_IF_ERROR(set_other_paths(draft, job, fields[i]));
  }
  return ok_status();
}

}  // namespace

std::optional<options::Option> input_option(const options::JobKind& kind) {
  return required_path(kind, v1::PATH_KIND_INPUT_FILE);
}

std::optional<options::Option> output_option(const options::JobKind& kind) {
  return required_path(kind, v1::PATH_KIND_OUTPUT_FILE);
}

std::string field_name(const options::JobKind& kind, const options::Option& option) {
  return fmt::format("spec.{}.{}", kind.field->name(), option.path());
}

StatusOr<std::vector<v1::SubmitJobRequest>> requests_of(const Draft& draft) {
  std::vector<v1::SubmitJobRequest> requests(std::max<size_t>(1, draft.inputs.size()), draft.common);
  const auto input = input_option(draft.kind);
  for (size_t i = 0; i < requests.size(); i++) {
    Message& job = draft.kind.choose(*requests[i].mutable_spec());
    if (!input) continue;
    options::clear(job, *input);
    if (i >= draft.inputs.size()) continue;
    if (const Status set = options::set_from_text(job, *input, draft.inputs[i]); !set.ok())
      return about(draft, *input, set);
  }
  RETURN_IF_ERROR(set_outputs(draft, requests));
  return requests;
}

std::string input_of(const v1::SubmitJobRequest& request) {
  const std::vector<std::string> inputs = options::paths_of(request.spec(), v1::PATH_KIND_INPUT_FILE);
  return inputs.empty() ? "" : inputs[0];
}

}  // namespace weft::client
