// SPDX-License-Identifier: Apache-2.0
// Finds the kinds of job: the members of JobSpec's oneof, with the declarations of their messages.
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

// One kind of job. Cheap to copy. Its pointers stay valid until the process ends.
struct JobKind {
  std::string name;                                          // "video"
  std::string summary;                                       // one sentence
  const google::protobuf::FieldDescriptor* field = nullptr;  // field of JobSpec

  const google::protobuf::Descriptor* message() const { return field->message_type(); }
  const v1::JobKindDeclaration& declaration() const;
  // Return the main input and the main output: the first required path of each type, or nullopt if
  // the kind has none.
  std::optional<Option> input_option() const;
  std::optional<Option> output_option() const;
  // Returns the kind's chain of filters, or null.
  const google::protobuf::FieldDescriptor* chain() const { return chain_of(message()); }
  // Selects this kind in `spec` and returns its message. If the kind was already selected, its
  // message is kept.
  google::protobuf::Message& choose(v1::JobSpec& spec) const;
};

std::vector<JobKind> job_kinds();
std::optional<JobKind> find_job_kind(std::string_view name);
// Returns the kind of a job, or nullopt if none is selected.
std::optional<JobKind> job_kind_of(const v1::JobSpec& spec);
// Returns the message of the selected kind, or `spec` itself if no kind is selected.
const google::protobuf::Message& job_message(const v1::JobSpec& spec);
// Returns the name of the selected kind, or "unspecified".
std::string kind_name(const v1::JobSpec& spec);
// Fills settings that are not set with their defaults. The default of the class depends on the kind
// of `spec`; the others are declared in JobSettings.
void apply_defaults(const v1::JobSpec& spec, v1::JobSettings& settings);

// Returns the unit of progress in the singular, such as "frame", or "unit" if no kind is selected.
std::string unit_of(const v1::JobSpec& spec);

// Returns the kind that declares the extension of this file name, else the first kind that declares
// no extensions, else the first kind. `kinds` must not be empty.
const JobKind& kind_for_output(const std::vector<JobKind>& kinds, std::string_view file_name);

}  // namespace weft::options
