// SPDX-License-Identifier: Apache-2.0
#include "options/job_kinds.h"

#include "weft/v1/options.pb.h"

namespace weft::options {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

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

}  // namespace weft::options
