// SPDX-License-Identifier: Apache-2.0
// The kinds of job there are: the members of JobSpec's oneof, and what their messages declare of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "options/filters.h"
#include "options/option.h"
#include "weft/v1/job.pb.h"

namespace weft::options {

// One kind of job. Cheap to copy; valid for ever.
struct JobKind {
  std::string name;                                          // "video"
  std::string summary;                                       // a sentence
  const google::protobuf::FieldDescriptor* field = nullptr;  // in JobSpec

  const google::protobuf::Descriptor* message() const { return field->message_type(); }
  const v1::JobKindDeclaration& declaration() const;
  // What is worked on, and where the result goes: the first required path of each kind. Nothing: it has none.
  std::optional<Option> input_option() const;
  std::optional<Option> output_option() const;
  // Its chain of filters, or null.
  const google::protobuf::FieldDescriptor* chain() const { return chain_of(message()); }
  // Chooses this kind in `spec`, keeping what is there if it is chosen already, and gives its message.
  google::protobuf::Message& choose(v1::JobSpec& spec) const;
};

std::vector<JobKind> job_kinds();
std::optional<JobKind> find_job_kind(std::string_view name);
// The kind that is chosen, or nothing.
std::optional<JobKind> job_kind_of(const v1::JobSpec& spec);
// Its message; a default JobSpec when no kind is chosen.
const google::protobuf::Message& job_message(const v1::JobSpec& spec);
// The name of the kind that is chosen; "unspecified" where none is.
std::string kind_name(const v1::JobSpec& spec);
// What settings mean that do not say all: the kind may have a class of its own, the rest is as declared.
void apply_defaults(const v1::JobSpec& spec, v1::JobSettings& settings);

// What its progress counts, for one: "frame"; "unit" where no kind is chosen.
std::string unit_of(const v1::JobSpec& spec);

// Of several kinds the one whose outputs have the extension of this file name; else the first that declares none. `kinds` is
// not empty.
const JobKind& kind_for_output(const std::vector<JobKind>& kinds, std::string_view file_name);

}  // namespace weft::options
