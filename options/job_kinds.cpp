// SPDX-License-Identifier: Apache-2.0
#include "options/job_kinds.h"

#include <algorithm>

#include "options/values.h"
#include "weft/v1/options.pb.h"

namespace weft::options {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace {

std::optional<Option> required_path(const JobKind& kind, v1::PathKind path) {
  for (Option& option : options_of(kind.message()))
    if (option.required() && option.path_kind() == path) return std::move(option);
  return std::nullopt;
}

std::string extension_of(std::string_view file_name) {
  const std::string_view leaf = file_name.substr(file_name.rfind('/') + 1);
  const size_t dot = leaf.rfind('.');
  std::string extension(dot == std::string_view::npos ? "" : leaf.substr(dot + 1));
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return extension;
}

}  // namespace

const v1::JobKindDeclaration& JobKind::declaration() const {
  return message()->options().GetExtension(v1::job_kind);
}

std::optional<Option> JobKind::input_option() const { return required_path(*this, v1::PATH_KIND_INPUT_FILE); }

std::optional<Option> JobKind::output_option() const {
  return required_path(*this, v1::PATH_KIND_OUTPUT_FILE);
}

Message& JobKind::choose(v1::JobSpec& spec) const {
  return *spec.GetReflection()->MutableMessage(&spec, field);
}

std::vector<JobKind> job_kinds() {
  std::vector<JobKind> result;
  const google::protobuf::OneofDescriptor& kinds = *v1::JobSpec::descriptor()->FindOneofByName("kind");
  for (int i = 0; i < kinds.field_count(); i++) {
    const FieldDescriptor* field = kinds.field(i);
    const v1::JobKindDeclaration& declared = field->message_type()->options().GetExtension(v1::job_kind);
    result.push_back({declared.name(), declared.summary(), field});
  }
  return result;
}

std::optional<JobKind> find_job_kind(std::string_view name) {
  for (JobKind& kind : job_kinds())
    if (kind.name == name) return std::move(kind);
  return std::nullopt;
}

std::optional<JobKind> job_kind_of(const v1::JobSpec& spec) {
  for (JobKind& kind : job_kinds())
    if (spec.GetReflection()->HasField(spec, kind.field)) return std::move(kind);
  return std::nullopt;
}

const Message& job_message(const v1::JobSpec& spec) {
  const std::optional<JobKind> kind = job_kind_of(spec);
  if (!kind) return spec;
  return spec.GetReflection()->GetMessage(spec, kind->field);
}

std::string kind_name(const v1::JobSpec& spec) {
  const std::optional<JobKind> kind = job_kind_of(spec);
  return kind ? kind->name : "unspecified";
}

void apply_defaults(const v1::JobSpec& spec, v1::JobSettings& settings) {
  const std::optional<JobKind> kind = job_kind_of(spec);
  const std::string own = kind ? kind->declaration().default_class() : "";
  if (settings.job_class() == v1::JOB_CLASS_UNSPECIFIED && !own.empty())
    settings.set_job_class(v1::JobClass(choice_number(v1::JobClass_descriptor(), own).value_or(0)));
  apply_defaults(settings);
}

std::string unit_of(const v1::JobSpec& spec) {
  const std::optional<JobKind> kind = job_kind_of(spec);
  return kind ? kind->declaration().unit() : "unit";
}

const JobKind& kind_for_output(const std::vector<JobKind>& kinds, std::string_view file_name) {
  const std::string extension = extension_of(file_name);
  const JobKind* any = &kinds.front();
  bool is_found = false;
  for (const JobKind& kind : kinds) {
    const auto& own = kind.declaration().output_extensions();
    if (std::find(own.begin(), own.end(), extension) != own.end()) return kind;
    if (own.empty() && !std::exchange(is_found, true)) any = &kind;
  }
  return *any;
}

}  // namespace weft::options
