// SPDX-License-Identifier: Apache-2.0
// The kinds of job there are: the members of JobSpec's oneof.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "weft/v1/job.pb.h"

namespace weft::options {

// One kind of job. Cheap to copy; valid for ever.
struct JobKind {
  std::string name;                                          // "deinterlace"
  std::string summary;                                       // a sentence
  const google::protobuf::FieldDescriptor* field = nullptr;  // in JobSpec

  const google::protobuf::Descriptor* message() const { return field->message_type(); }
  // Chooses this kind in `spec`, keeping what is there if it is chosen already, and gives its message.
  google::protobuf::Message& choose(v1::JobSpec& spec) const;
};

std::vector<JobKind> job_kinds();
std::optional<JobKind> find_job_kind(std::string_view name);
// The kind that is chosen, or nothing.
std::optional<JobKind> job_kind_of(const v1::JobSpec& spec);
// Its message; a default JobSpec when no kind is chosen.
const google::protobuf::Message& job_message(const v1::JobSpec& spec);

}  // namespace weft::options
