// SPDX-License-Identifier: Apache-2.0
#include "options/job_paths.h"

#include <filesystem>

#include "options/frame_pattern.h"
#include "options/job_kinds.h"
#include "options/validate.h"
#include "options/values.h"

namespace weft::options {

std::string NamedPath::name() const { return std::filesystem::path(path).filename().string(); }
std::string NamedPath::folder() const { return std::filesystem::path(path).parent_path().string(); }

JobPaths paths_of_job(const v1::JobSpec& spec) {
  JobPaths paths;
  const auto kind = job_kind_of(spec);
  if (!kind) return paths;
  for (const Option& option : options_of(kind->message())) {
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED) continue;
    NamedPath named;
    named.path = format_value(job_message(spec), option);
    if (named.path.empty()) continue;
    named.option = option.path();
    named.field = fmt::format("spec.{}.{}", kind->field->name(), option.path());
    named.is_sequence = option.declaration().sequence() && has_frame_field(named.path);
    (option.path_kind() == v1::PATH_KIND_INPUT_FILE ? paths.inputs : paths.outputs).push_back(named);
  }
  return paths;
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
