// SPDX-License-Identifier: Apache-2.0
#include "options/job_paths.h"

#include <filesystem>

#include "options/frame_pattern.h"
#include "options/job_kinds.h"
#include "options/validate.h"
#include "options/values.h"
#include "options/visit.h"

namespace weft::options {

std::string NamedPath::role() const { return option.substr(option.rfind('.') + 1); }
std::string NamedPath::name() const { return std::filesystem::path(path).filename().string(); }
std::string NamedPath::folder() const { return std::filesystem::path(path).parent_path().string(); }

std::string work_folder_of(const NamedPath& output, std::string_view job_id) {
  constexpr std::string_view kSign = ".weft-";
  std::string name = output.name();
  size_t kept = std::min(name.size(), kMaxFileNameBytes - 1 - kSign.size() - job_id.size());
  const auto within_a_letter = [&](size_t at) {
    return at < name.size() && (name[at] & 0xC0) == 0x80;
  };  // of UTF-8
  while (kept > 0 && within_a_letter(kept)) kept--;
  name.resize(kept);
  return (std::filesystem::path(output.folder()) / fmt::format(".{}{}{}", name, kSign, job_id)).string();
}

namespace {

// `field_prefix` stands before an option's path.
void add_paths(const google::protobuf::Message& message, const std::string& field_prefix, JobPaths& paths) {
  visit_options(
      message, "",
      [&](const google::protobuf::Message& holder, const Option& option, const std::string& path) {
        if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED) return;
        NamedPath named;
        named.path = format_value(holder, option);
        if (named.path.empty()) return;
        named.option = path;
        named.field = field_prefix + path;
        named.is_sequence = option.declaration().sequence() && has_frame_field(named.path);
        if (option.declaration().sequence() && !named.is_sequence) named.path = name_of_one_file(named.path);
        (option.path_kind() == v1::PATH_KIND_INPUT_FILE ? paths.inputs : paths.outputs).push_back(named);
      });
}

}  // namespace

JobPaths paths_of_job(const v1::JobSpec& spec) {
  JobPaths paths;
  if (const auto kind = job_kind_of(spec))
    add_paths(job_message(spec), fmt::format("spec.{}.", kind->field->name()), paths);
  return paths;
}

std::vector<NamedPath> inputs_of_stream(const v1::OpenStream& open) {
  JobPaths paths;
  add_paths(open, "open.", paths);
  return paths.inputs;
}

StatusOr<FrameChoice> frame_choice_of(const v1::JobSpec& spec) {
  FrameChoice choice;
  const google::protobuf::Message& job = job_message(spec);
  for (const Option& option : options_of(job.GetDescriptor())) {
    if (option.field().enum_type() == v1::MissingFrames_descriptor())
      choice.skips_missing = format_value(job, option) == choice_name(v1::MISSING_FRAMES_SKIP);
    if (option.declaration().form() != v1::TEXT_FORM_FRAME_RANGE || !is_set(job, option)) continue;
    const StatusOr<FrameRange> range = parse_frame_range(format_value(job, option));
    if (!range.ok())
      return to_status({{fmt::format("spec.{}.{}", job_kind_of(spec)->field->name(), option.path()),
                         message_of(range.status())}});
    choice.range = *range;
  }
  return choice;
}

}  // namespace weft::options
