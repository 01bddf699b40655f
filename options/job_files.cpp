// SPDX-License-Identifier: Apache-2.0
#include "options/job_files.h"

#include <charconv>
#include <filesystem>
#include <set>

#include "options/file_set.h"
#include "options/frame_pattern.h"
#include "options/job_kinds.h"
#include "options/validate.h"
#include "options/values.h"
#include "options/visit.h"

namespace weft::options {

std::string JobFile::role() const {
  const std::string name = option.substr(option.rfind('.') + 1);
  // "weights": one file with content of any kind
  return name.ends_with('s') ? "file of " + name : name;
}
std::string JobFile::name() const { return std::filesystem::path(path).filename().string(); }
std::string JobFile::folder() const { return std::filesystem::path(path).parent_path().string(); }

std::string decisions_name(std::string_view job_id) { return fmt::format("decisions-{}.json", job_id); }

JobFile output_part(const JobFile& output, int number) {
  JobFile part = output;
  if (number == 1) return part;
  const std::filesystem::path path(output.path);
  part.path =
      (path.parent_path() / fmt::format("{}.{}{}", path.stem().string(), number, path.extension().string()))
          .string();
  part.finished_name += fmt::format(".{}", number);
  return part;
}

int output_part_number(const JobFile& output, std::string_view name) {
  const std::filesystem::path path(output.path);
  const std::string before = path.stem().string() + ".";
  if (!name.starts_with(before)) return 0;
  int number = 0;
  std::from_chars(name.data() + before.size(), name.data() + name.size(), number);
  return number > 1 && output_part(output, number).name() == name ? number : 0;
}

std::string work_folder_of(const JobFile& output, std::string_view job_id) {
  constexpr std::string_view kSign = ".weft-";
  std::string name = output.name();
  size_t kept = std::min(name.size(), kMaxFileNameBytes - 1 - kSign.size() - job_id.size());
  const auto within_a_letter = [&](size_t at) {
    return at < name.size() && (name[at] & 0xC0) == 0x80;
  };  // continuation byte of UTF-8
  while (kept > 0 && within_a_letter(kept)) kept--;
  name.resize(kept);
  return (std::filesystem::path(output.folder()) / fmt::format(".{}{}{}", name, kSign, job_id)).string();
}

namespace {

constexpr std::string_view kFinishedName = "finished";

// Returns the files of a message. `field_prefix` precedes the path of each option.
JobFiles files_of(const google::protobuf::Message& message, const std::string& field_prefix) {
  JobFiles files;
  visit_options(message, "",
                [&](const google::protobuf::Message& holder, const Option& option, const std::string& path) {
                  if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED) return;
                  JobFile file;
                  file.path = format_value(holder, option);
                  if (file.path.empty()) return;
                  file.option = path;
                  file.field = field_prefix + path;
                  file.is_raw = option.declaration().raw_file();
                  file.is_sequence = option.declaration().sequence() && has_frame_field(file.path);
                  if (option.declaration().sequence() && !file.is_sequence)
                    file.path = name_of_one_file(file.path);
                  file.is_set = option.declaration().file_set() && is_file_set(file.path);
                  if (option.declaration().file_set() && !file.is_set)
                    file.path = name_without_signs(file.path);
                  file.is_sequence |= file.is_set;
                  if (option.path_kind() == v1::PATH_KIND_INPUT_FILE)
                    return files.inputs.push_back(std::move(file));
                  file.finished_name = files.outputs.empty() ? std::string(kFinishedName)
                                                             : fmt::format("{}-{}", kFinishedName, path);
                  files.outputs.push_back(std::move(file));
                });
  return files;
}

}  // namespace

bool has_output_parts(const v1::JobSpec& spec) {
  return spec.video().decoding().on_size_change() == v1::SIZE_CHANGE_SPLIT;
}

JobFiles files_of_job(const v1::JobSpec& spec) {
  const auto kind = job_kind_of(spec);
  if (!kind) return {};
  JobFiles files = files_of(job_message(spec), fmt::format("spec.{}.", kind->field->name()));
  for (JobFile& output : files.outputs) output.has_output_parts = has_output_parts(spec);
  return files;
}

std::string work_folder_of(const v1::Job& job, std::string_view location) {
  const std::filesystem::path chosen(job.work_location());
  const std::vector<JobFile> outputs = files_of_job(job.spec()).outputs;
  const std::filesystem::path next_to_output(outputs.empty() ? fmt::format("{}/.weft-{}", location, job.id())
                                                             : work_folder_of(outputs[0], job.id()));
  return (chosen.empty() ? next_to_output : chosen / next_to_output.filename()).string();
}

std::vector<std::string> landing_folders_of(const v1::Job& job) {
  const std::string work_folder = work_folder_of(job);
  std::set<std::string> folders;
  std::vector<std::string> landing;
  for (const JobFile& output : files_of_job(job.spec()).outputs) {
    std::string path = work_folder_of(output, job.id());
    if (folders.insert(output.folder()).second && path != work_folder) landing.push_back(std::move(path));
  }
  return landing;
}

std::vector<JobFile> files_of_stream(const v1::OpenStream& open) { return files_of(open, "open.").inputs; }

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
