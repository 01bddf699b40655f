// SPDX-License-Identifier: Apache-2.0
#include "client/draft.h"

#include <filesystem>
#include <map>
#include <memory>

#include "client/output_template.h"
#include "client/paths.h"
#include "options/file_set.h"
#include "options/validate.h"
#include "options/values.h"
#include "options/visit.h"

namespace weft::client {
namespace {

using google::protobuf::Message;

// Adds the message's values, including default values: {encoder}, {rate} ...
void add_values(const Message& message, TemplateFields& fields) {
  const std::unique_ptr<Message> complete(message.New());
  complete->CopyFrom(message);
  options::apply_defaults(*complete);
  for (const options::Option& option : options::options_of(message.GetDescriptor()))
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED && !option.is_repeated() && !option.is_chain())
      fields[option.flag()] = options::format_value(*complete, option);
}

// Adds the job's options and {filter}. Adds the options of the filter if the chain has a single
// one.
void add_option_fields(const options::JobKind& kind, const Message& job, TemplateFields& fields) {
  const google::protobuf::FieldDescriptor* chain = kind.chain();
  const int filters = chain == nullptr ? 0 : job.GetReflection()->FieldSize(job, chain);
  std::string names;
  for (int i = 0; i < filters; i++) {
    const Message& element = job.GetReflection()->GetRepeatedMessage(job, chain, i);
    const auto filter = options::filter_of(element);
    if (!filter) continue;
    names += (names.empty() ? "" : "+") + filter->name();
    if (filters == 1) add_values(element.GetReflection()->GetMessage(element, filter->field), fields);
  }
  if (chain != nullptr) fields["filter"] = names;
  add_values(job, fields);
}

// Returns an INVALID_ARGUMENT error as a violation of the field, and other errors unchanged.
Status about(const std::string& field, const Status& status) {
  if (status.code() != StatusCode::kInvalidArgument) return status;
  return options::to_status({{field, message_of(status)}});
}

// Sets the paths of the job's other files: makes them absolute and expands the fields in outputs.
Status set_other_paths(const Draft& draft, Message& job, const TemplateFields& fields) {
  Status result;
  options::visit_options(
      job, "spec." + draft.kind.field->name(),
      [&](Message& holder, const options::Option& option, const std::string& field) {
        if (!result.ok() || option.path_kind() == v1::PATH_KIND_UNSPECIFIED || option.required()) return;
        std::string path = options::format_value(holder, option);
        if (path.empty()) return;
        if (option.path_kind() == v1::PATH_KIND_OUTPUT_FILE) {
          auto expanded = expand_template(path, fields);
          if (!expanded.ok()) {
            result = about(field, expanded.status());
            return;
          }
          path = *std::move(expanded);
        }
        result = about(field, options::set_from_text(holder, option, absolute_path(path)));
      });
  return result;
}

// The input of one job.
struct DraftInput {
  std::string path;
  std::vector<std::string> names;  // names of the selected files of a set; empty: all files
  std::vector<std::string> given;  // inputs of the draft that this input joins
};

std::vector<DraftInput> joined(const Draft& draft) {
  std::vector<DraftInput> inputs;
  if (!draft.joins_files || !takes_several_files(draft.kind)) {
    for (const std::string& path : draft.inputs) inputs.push_back({path, {}, {path}});
    return inputs;
  }
  std::error_code error;
  std::map<std::string, size_t> of_folder;  // indices in `inputs` by folder
  for (const std::string& path : draft.inputs) {
    if (std::filesystem::is_directory(path, error)) {
      inputs.push_back({path + (path.ends_with('/') ? "*" : "/*"), {}, {path}});
    } else if (options::is_file_set(path) && !std::filesystem::exists(path, error)) {
      inputs.push_back({path, {}, {path}});
    } else {
      const std::filesystem::path file(path);
      const auto [entry, is_new] = of_folder.try_emplace(file.parent_path().string(), inputs.size());
      if (is_new) inputs.push_back({path, {}, {}});
      inputs[entry->second].given.push_back(path);
      inputs[entry->second].names.push_back(file.filename().string());
    }
  }
  for (DraftInput& input : inputs) {
    if (input.names.empty()) continue;
    const std::string folder = std::filesystem::path(input.path).parent_path().string();
    const bool is_one = input.names.size() == 1;
    if (is_one) input.names.clear();
    input.path = is_one ? options::with_signs(input.path) : folder + (folder.ends_with('/') ? "*" : "/*");
  }
  return inputs;
}

// Returns the output pattern of a set: "2x/*_2x" for "2x/{stem}_2x.{ext}", and "folder/*" for a
// folder.
StatusOr<std::string> output_of_set(const std::string& text, TemplateFields fields) {
  std::error_code error;
  if (text.ends_with('/') || std::filesystem::is_directory(text, error))
    return absolute_path(text + (text.ends_with('/') ? "*" : "/*"));
  std::string pattern = text;
  if (pattern.ends_with(".{ext}")) pattern.resize(pattern.size() - 6);
  fields["stem"] = "*";
  for (const char* field : {"name", "ext", "index"}) fields.erase(field);
  ASSIGN_OR_RETURN(const std::string expanded, expand_template(pattern, fields));
  if (!options::is_file_set(expanded))
    return invalid_argument(
        "The output of several files ({}) is the same for all; put {{stem}} into its name, or name "
        "an existing folder.",
        text);
  return absolute_path(expanded);
}

// Returns one output per request. The outputs of sets are patterns.
StatusOr<std::vector<std::string>> outputs_of(const Draft& draft, const std::vector<std::string>& files,
                                              const std::vector<TemplateFields>& fields) {
  if (!takes_several_files(draft.kind)) return expand_outputs(draft.output, files, fields);
  std::vector<std::string> outputs(files.size());
  std::vector<std::string> single_files;
  std::vector<TemplateFields> single_fields;
  for (size_t i = 0; i < files.size(); i++) {
    if (options::is_file_set(files[i])) {
      ASSIGN_OR_RETURN(outputs[i], output_of_set(draft.output, fields[i]));
      continue;
    }
    single_files.push_back(options::name_without_signs(files[i]));
    single_fields.push_back(fields[i]);
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> singles,
                   expand_outputs(draft.output, single_files, single_fields));
  for (size_t i = 0, next = 0; i < files.size(); i++)
    if (outputs[i].empty()) outputs[i] = options::with_signs(singles[next++]);
  return outputs;
}

Status set_outputs(const Draft& draft, std::vector<v1::SubmitJobRequest>& requests) {
  const auto target = draft.kind.output_option();
  std::vector<std::string> files;
  std::vector<TemplateFields> fields;
  for (size_t i = 0; i < requests.size(); i++) {
    files.push_back(input_of(requests[i]));
    fields.push_back(path_fields(files.back(), draft.first_index + i));
    add_option_fields(draft.kind, options::job_message(requests[i].spec()), fields.back());
  }
  const auto outputs = target ? outputs_of(draft, files, fields) : std::vector<std::string>();
  if (!outputs.ok()) return about(field_name(draft.kind, *target), outputs.status());
  for (size_t i = 0; i < requests.size(); i++) {
    Message& job = draft.kind.choose(*requests[i].mutable_spec());
    if (target)
      RETURN_IF_ERROR(
          about(field_name(draft.kind, *target), options::set_from_text(job, *target, (*outputs)[i])));
    RETURN_IF_ERROR(set_other_paths(draft, job, fields[i]));
  }
  return ok_status();
}

// Returns a template that expands to the text.
std::string template_of(std::string_view text) {
  std::string result;
  for (const char c : text) result.append(c == '{' || c == '}' ? 2 : 1, c);
  return result;
}

}  // namespace

StatusOr<Draft> draft_of(const v1::Job& job) {
  const auto kind = options::job_kind_of(job.spec());
  if (!kind)
    return failed_precondition(
        "The kind of the job ({}) is not known to this version of the program; use that of the daemon.",
        job.id());
  Draft draft{*kind};
  *draft.common.mutable_spec() = job.spec();
  Message& message = kind->choose(*draft.common.mutable_spec());
  options::clear_defaults(message);
  options::visit_options(message, "", [](Message& holder, const options::Option& option, const std::string&) {
    if (option.path_kind() != v1::PATH_KIND_OUTPUT_FILE) return;
    const std::string path = options::format_value(holder, option);
    if (path.empty()) return;
    // a path from the daemon is a valid value
    static_cast<void>(options::set_from_text(holder, option, template_of(path)).ok());
  });
  if (const auto input = kind->input_option()) draft.inputs = {options::format_value(message, *input)};
  if (const auto target = kind->output_option()) {
    draft.output = options::format_value(message, *target);
    if (takes_several_files(*kind) && !options::is_file_set(draft.output))
      draft.output = options::name_without_signs(draft.output);
  }
  v1::JobSettings& settings = *draft.common.mutable_settings();
  settings = job.settings();
  options::clear_defaults(settings);
  settings.set_job_class(job.settings().job_class());  // its default depends on the kind
  settings.clear_owner();
  settings.clear_overwrite();
  return draft;
}

std::string field_name(const options::JobKind& kind, const options::Option& option) {
  return fmt::format("spec.{}.{}", kind.field->name(), option.path());
}

StatusOr<std::vector<v1::SubmitJobRequest>> requests_of(const Draft& draft) {
  const std::vector<DraftInput> inputs = joined(draft);
  std::vector<v1::SubmitJobRequest> requests(std::max<size_t>(1, inputs.size()), draft.common);
  for (v1::SubmitJobRequest& request : requests)
    if (const std::string& folder = request.settings().work_dir(); !folder.empty())
      request.mutable_settings()->set_work_dir(absolute_path(folder));
  const auto input = draft.kind.input_option();
  for (size_t i = 0; i < requests.size(); i++) {
    Message& job = draft.kind.choose(*requests[i].mutable_spec());
    if (!input) continue;
    options::clear(job, *input);
    if (i >= inputs.size()) continue;
    RETURN_IF_ERROR(
        about(field_name(draft.kind, *input), options::set_from_text(job, *input, inputs[i].path)));
    if (!inputs[i].names.empty()) options::choose_names(*requests[i].mutable_spec(), inputs[i].names);
  }
  RETURN_IF_ERROR(set_outputs(draft, requests));
  return requests;
}

bool takes_several_files(const options::JobKind& kind) {
  const auto input = kind.input_option();
  return input && input->declaration().file_set();
}

std::vector<std::vector<std::string>> inputs_by_request(const Draft& draft) {
  std::vector<std::vector<std::string>> inputs;
  for (DraftInput& input : joined(draft)) inputs.push_back(std::move(input.given));
  if (inputs.empty()) inputs.emplace_back();  // the job of a kind without files
  return inputs;
}

std::string input_of(const v1::SubmitJobRequest& request) {
  const std::vector<std::string> inputs = options::paths_of(request.spec(), v1::PATH_KIND_INPUT_FILE);
  return inputs.empty() ? "" : inputs[0];
}

}  // namespace weft::client
