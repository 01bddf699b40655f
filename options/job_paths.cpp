// SPDX-License-Identifier: Apache-2.0
#include "options/job_paths.h"

#include <filesystem>

#include "options/frame_pattern.h"
#include "options/job_kinds.h"
#include "options/validate.h"
#include "options/values.h"

namespace weft::options {

std::string NamedPath::role() const { return option.substr(option.rfind('.') + 1); }
std::string NamedPath::name() const { return std::filesystem::path(path).filename().string(); }
std::string NamedPath::folder() const { return std::filesystem::path(path).parent_path().string(); }

namespace {

// `prefix` stands before an option's path, and `field_prefix` before that.
void add_paths(const google::protobuf::Message& message, const std::string& prefix,
               const std::string& field_prefix, JobPaths& paths) {
  for (const Option& option : options_of(message.GetDescriptor())) {
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED) continue;
    NamedPath named;
    named.path = format_value(message, option);
    if (named.path.empty()) continue;
    named.option = prefix + option.path();
    named.field = field_prefix + named.option;
    named.is_sequence = option.declaration().sequence() && has_frame_field(named.path);
    (option.path_kind() == v1::PATH_KIND_INPUT_FILE ? paths.inputs : paths.outputs).push_back(named);
  }
}

}  // namespace

JobPaths paths_of_job(const v1::JobSpec& spec) {
  JobPaths paths;
  if (const auto kind = job_kind_of(spec))
    add_paths(job_message(spec), "", fmt::format("spec.{}.", kind->field->name()), paths);
  return paths;
}

std::vector<NamedPath> inputs_of_stream(const v1::OpenStream& open) {
  const auto& reflection = *open.GetReflection();
  const google::protobuf::FieldDescriptor* filter =
      reflection.GetOneofFieldDescriptor(open, open.GetDescriptor()->FindOneofByName("filter"));
  JobPaths paths;
  if (filter != nullptr) add_paths(reflection.GetMessage(open, filter), filter->name() + ".", "open.", paths);
  return paths.inputs;
}

StatusOr<FrameChoice> frame_choice_of(const v1::JobSpec& spec) {
  FrameChoice choice;
  choice.skips_missing = spec.bloom().missing() == v1::MISSING_FRAMES_SKIP;
  if (spec.bloom().frames().empty()) return choice;
  const StatusOr<FrameRange> range = parse_frame_range(spec.bloom().frames());
  if (!range.ok()) return to_status({{"spec.bloom.frames", message_of(range.status())}});
  choice.range = *range;
  return choice;
}

}  // namespace weft::options
