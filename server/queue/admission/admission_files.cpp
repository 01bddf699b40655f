// SPDX-License-Identifier: Apache-2.0
#include "server/queue/admission/admission_files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <list>
#include <map>
#include <set>
#include <utility>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "options/file_set.h"
#include "options/frame_pattern.h"
#include "options/job_kinds.h"
#include "options/validate.h"
#include "options/values.h"
#include "options/visit.h"
#include "server/queue/files/file_error.h"
#include "server/queue/files/job_files.h"

namespace weft::queue {
namespace {

using options::JobFile;
using options::Violation;

constexpr const char* kSandboxRemedy =
    "; if weftd is a service, permit the folder by ReadWritePaths= in its unit (systemctl edit weftd)";

Status cannot_now(std::string_view role, const FoundFile& found, const std::string& path) {
  return unavailable("The {} cannot be opened now: {} ({}); try again soon.", role,
                     std::strerror(found.error), path);
}

// A file to be written: an output, or a frame of an output.
struct Target {
  const JobFile* output = nullptr;
  const FoundFile* folder = nullptr;  // folder of the output
  std::string name{};                 // name in the folder

  std::string path() const { return output->folder() + "/" + name; }
  // Reads the present properties of the file, or of the link itself. Returns false if there is
  // none.
  bool inspect(struct stat& info) const {
    return ::fstatat(folder->descriptor.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  }
};

const char* name_of(const Target& target) {
  if (target.output->is_set) return "A file of the output";
  if (target.output->is_sequence) return "A frame of the output";
  return target.name == target.output->name() ? "The output" : "A further file of the output";
}

// Checks the files of a job in order and collects the errors.
class FileCheck {
 public:
  FileCheck(const v1::JobSpec& spec, bool overwrite, const FileRights& rights)
      : spec_(spec), overwrite_(overwrite), rights_(rights) {
    files_.named = options::files_of_job(spec);
  }

  StatusOr<CheckedFiles> run() {
    ASSIGN_OR_RETURN(choice_, options::frame_choice_of(spec_));
    for (const JobFile& input : files_.named.inputs) {
      files_.inputs.emplace_back();
      complain(input, input.is_sequence ? check_frames(input) : check_input(input));
    }
    for (const JobFile& output : files_.named.outputs) complain(output, check_output(output));
    RETURN_IF_ERROR(shortage_);
    if (!violations_.empty()) return options::to_status(violations_);
    if (!overwrite_)
      for (const Target& target : targets_) RETURN_IF_ERROR(check_free(target));
    find_real_paths();
    return std::move(files_);
  }

 private:
  // These functions return an error as a sentence, or an empty string.
  std::string check_input(const JobFile& named);
  std::string check_frames(const JobFile& input);
  std::string check_set();
  std::string check_output(const JobFile& output);
  std::string check_frame(const std::string& name) const;
  std::string check_form(const JobFile& output) const;
  std::string check_folder(const std::string& folder);
  std::string name_targets(const JobFile& output, std::vector<Target>& targets) const;
  std::string name_output_parts(const JobFile& output, std::vector<Target>& targets) const;
  std::string check_target(const Target& target);
  std::string check_not_read(const Target& target, const struct stat& info);
  Status check_free(const Target& target) const;
  void find_real_paths();

  void complain(const JobFile& path, const std::string& wrong) {
    if (!wrong.empty()) violations_.push_back({path.field, wrong});
  }
  // Notes a shortage of descriptors or memory in the daemon, which is not an error of the job.
  void note_shortage(const FoundFile& found, const std::string& path) {
    if (is_shortage(found.error)) shortage_ = cannot_now("file", found, path);
  }
  bool is_frame(const FileId& file);

  const v1::JobSpec& spec_;
  const bool overwrite_;
  const FileRights& rights_;
  options::FrameChoice choice_;
  CheckedFiles files_;
  options::FramePattern source_;       // of a sequence of frames
  std::vector<options::SetFile> set_;  // of a set of files
  int source_folder_ = -1;             // descriptor in files_
  std::vector<std::string> frames_;    // names of the input's files
  std::set<FileId> frame_ids_;         // ids of these files, read when needed first
  std::list<FoundFile> folders_;       // folders of the outputs, the newest last
  std::vector<Target> targets_;
  // Outputs by folder and file name, so that no file is written twice.
  std::map<std::pair<FileId, std::string>, const JobFile*> target_names_;
  std::vector<Violation> violations_;
  Status shortage_;
};

std::string FileCheck::check_input(const JobFile& named) {
  StatusOr<CheckedInput> input = open_input(named.path, named.role(), rights_);
  if (input.status().code() == StatusCode::kUnavailable) shortage_ = input.status();
  if (!input.ok()) return message_of(input.status());
  files_.inputs.back() = *std::move(input);
  return "";
}

// Checks a sequence or set of files. The probe, which reads the files, detects missing frames.
std::string FileCheck::check_frames(const JobFile& path) {
  CheckedInput& input = files_.inputs.back();
  const std::string folder = path.folder();
  FoundFile found = open_folder(rights_, folder);
  note_shortage(found, folder);
  if (!found.is_found()) return fmt::format("The folder of the input's frames {} ({}).", found.why, folder);
  input.descriptor = std::move(found.descriptor);
  input.info = found.info;
  source_folder_ = input.descriptor.get();
  if (path.is_set) return check_set();
  const StatusOr<options::FramePattern> pattern = options::FramePattern::parse(path.path);
  if (!pattern.ok()) return message_of(pattern.status());
  const StatusOr<options::FrameList> list =
      options::list_frames(*pattern, input.descriptor.get(), choice_.range);
  if (list.status().code() == StatusCode::kUnavailable) shortage_ = list.status();
  if (!list.ok()) return message_of(list.status());
  source_ = *pattern;
  for (const auto& [frame, name] : list->files) {
    if (std::string wrong = check_frame(name); !wrong.empty()) return wrong;
    frames_.push_back(name);
  }
  return "";
}

std::string FileCheck::check_set() {
  const StatusOr<options::FileSet> set = options::file_set_of(spec_);
  if (!set.ok()) return message_of(set.status());
  StatusOr<std::vector<options::SetFile>> files = set->list(source_folder_);
  if (files.status().code() == StatusCode::kUnavailable) shortage_ = files.status();
  if (!files.ok()) return message_of(files.status());
  set_ = *std::move(files);
  for (const options::SetFile& file : set_) {
    if (std::string wrong = check_frame(file.name); !wrong.empty()) return wrong;
    frames_.push_back(file.name);
  }
  return "";
}

// Checks the caller's rights to a frame. The worker, which opens it, repeats this check.
std::string FileCheck::check_frame(const std::string& name) const {
  if (channel::is_own(rights_.caller)) return "";
  const std::string wrong = channel::what_forbids_frame(rights_.caller, source_folder_, name);
  const char* what = files_.named.inputs[0].is_set ? "file" : "frame";
  return wrong.empty() ? "" : fmt::format("A {} of the input {} ({}).", what, wrong, name);
}

std::string FileCheck::check_folder(const std::string& folder) {
  const FoundFile& found = folders_.emplace_back(open_target_folder(rights_, folder));
  note_shortage(found, folder);
  const bool is_read_only = found.error == EROFS;
  if (!found.is_found())
    return is_read_only || found.error == EACCES || found.error == EPERM
               ? fmt::format("The output's folder is not writable: it {} ({}){}.", found.why, folder,
                             is_read_only ? kSandboxRemedy : "")
               : fmt::format("The output's folder {} ({}){}.", found.why, folder,
                             found.error == ENOENT ? "; create it, or submit with --mkdir" : "");
  const struct stat& info = found.info;
  struct statvfs space {};
  if (::fstatvfs(found.descriptor.get(), &space) != 0)
    return fmt::format("The output's folder {} ({}).", reason_of(errno), folder);
  if (files_.file_system != 0 && files_.file_system != info.st_dev)
    return fmt::format(
        "The folder ({}) lies on another file system than the output's ({}); choose one there.", folder,
        files_.named.outputs[0].folder());
  files_.free_bytes = int64_t(space.f_bavail) * int64_t(space.f_frsize);
  files_.disk_bytes = int64_t(space.f_blocks) * int64_t(space.f_frsize);
  files_.file_system = info.st_dev;
  return "";
}

std::string FileCheck::check_output(const JobFile& output) {
  const std::string name = output.name();
  if (name.empty() || name == "." || name == "..")
    return fmt::format("The output names a folder ({}); name a file.", output.path);
  if (name.size() > options::kMaxFileNameBytes)
    return fmt::format("The output's file name is too long ({} bytes, at most {}).", name.size(),
                       options::kMaxFileNameBytes);
  if (std::string wrong = check_folder(output.folder()); !wrong.empty()) return wrong;
  if (std::string wrong = check_form(output); !wrong.empty()) return wrong;
  std::vector<Target> targets;
  if (std::string wrong = name_targets(output, targets); !wrong.empty()) return wrong;
  for (Target& target : targets) {
    target.folder = &folders_.back();
    if (std::string wrong = check_target(target); !wrong.empty()) return wrong;
    targets_.push_back(std::move(target));
  }
  return "";
}

// Checks that the input and the output are both one file, or both several files.
std::string FileCheck::check_form(const JobFile& output) const {
  const bool is_first = output.option == files_.named.outputs[0].option;
  const bool from_sequence = !files_.named.inputs.empty() && files_.named.inputs[0].is_sequence;
  const bool from_set = from_sequence && files_.named.inputs[0].is_set;
  if (is_first && from_set && !output.is_set)
    return fmt::format(
        "The input is several files, and the output is one ({}); put a * into its name, which stands for the "
        "input's name.",
        output.path);
  if (output.is_set && !from_set)
    return fmt::format(
        "The output has a * in its name ({}), and the input is one file; name a file, or write \\* for a "
        "star.",
        output.path);
  if (is_first && from_sequence && !output.is_sequence)
    return fmt::format(
        "The input is a sequence, and the output is one file ({}); put a field for the frame's number into "
        "its "
        "name, such as %04d.",
        output.path);
  if (output.is_sequence && !from_sequence)
    return fmt::format(
        "The output has a field for a frame's number ({}), and the input is one file; name a file, or write "
        "%% for a percent sign.",
        output.path);
  return "";
}

std::string FileCheck::name_targets(const JobFile& output, std::vector<Target>& targets) const {
  if (!output.is_sequence) {
    targets.push_back({.output = &output, .name = output.name()});
    return output.has_output_parts ? name_output_parts(output, targets) : "";
  }
  if (output.is_set) {
    for (const options::SetFile& file : set_)
      targets.push_back({.output = &output, .name = file.output_name});
    return "";
  }
  const StatusOr<options::FramePattern> pattern = options::FramePattern::parse(output.path);
  if (!pattern.ok()) return message_of(pattern.status());
  for (const std::string& frame : frames_)
    targets.push_back({.output = &output, .name = pattern->name_like(source_, frame)});
  return "";
}

// Adds the existing files with names of output parts, since the job may replace them. The number of
// parts is known only after the job has run.
std::string FileCheck::name_output_parts(const JobFile& output, std::vector<Target>& targets) const {
  const StatusOr<std::vector<std::string>> names = list_names(folders_.back().descriptor.get());
  if (!names.ok())
    return fmt::format(
        "The output's folder cannot be listed for further files of the output ({}); give the right to read "
        "it.",
        output.folder());
  for (const std::string& name : *names)
    if (options::output_part_number(output, name) > 0) targets.push_back({.output = &output, .name = name});
  return "";
}

std::string FileCheck::check_target(const Target& target) {
  const FileId folder = id_of(target.folder->info);
  const auto [other, is_new] = target_names_.try_emplace({folder, target.name}, target.output);
  if (!is_new)
    return fmt::format("The option '{}' writes the same file ({}); choose another name.",
                       other->second->option, target.path());
  struct stat info {};
  if (!target.inspect(info)) return "";
  if (S_ISLNK(info.st_mode)) {
    // The target of a link is not disclosed to a caller without access to it.
    const FoundFile led = open_file(rights_, target.path());
    if (!led.is_found() && led.error != 0) return "";
    info = led.info;
  }
  if (!S_ISREG(info.st_mode))
    return fmt::format("{} is {} ({}); name a file.", name_of(target), kind_of_file(info.st_mode),
                       target.path());
  return check_not_read(target, info);
}

// Checks that the job does not read the existing file with the properties `info`, which it would
// replace.
std::string FileCheck::check_not_read(const Target& target, const struct stat& info) {
  const auto is_a_frame = [&] {
    const char* what = set_.empty() ? "frame" : "file";
    return fmt::format("{} is a {} of the input ({}); choose another name or folder.", name_of(target), what,
                       target.path());
  };
  for (size_t i = 0; i < files_.inputs.size(); i++) {
    const CheckedInput& input = files_.inputs[i];
    if (!input.descriptor.is_open()) continue;
    if (id_of(input.info) == id_of(info))
      return fmt::format("{} is the {} itself ({}); name another file.", name_of(target),
                         files_.named.inputs[i].role(), target.path());
    const bool is_beside_frames =
        input.descriptor.get() == source_folder_ && id_of(input.info) == id_of(target.folder->info);
    // Frames outside the selected range belong to the sequence, too.
    if (is_beside_frames && set_.empty() && source_.frame_of(target.name)) return is_a_frame();
  }
  return is_frame(id_of(info)) ? is_a_frame() : "";
}

bool FileCheck::is_frame(const FileId& file) {
  if (frame_ids_.empty())
    for (const std::string& frame : frames_) {
      struct stat info {};
      if (::fstatat(source_folder_, frame.c_str(), &info, 0) == 0) frame_ids_.insert(id_of(info));
    }
  return frame_ids_.contains(file);
}

Status FileCheck::check_free(const Target& target) const {
  struct stat info {};
  if (!target.inspect(info)) return ok_status();
  return about_state(
      target.output->field,
      fmt::format("{} is there already ({}); choose another name, or allow to overwrite it (-y).",
                  name_of(target), target.path()));
}

// Returns the path of an open file or folder with links resolved, or an empty string if unknown.
std::string real_path_of(const channel::FileDescriptor& file) {
  std::error_code error;
  return std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file.get()), error).string();
}

void FileCheck::find_real_paths() {
  std::map<std::string, std::string> files, folders;  // by option
  for (size_t i = 0; i < files_.inputs.size(); i++) {
    const JobFile& input = files_.named.inputs[i];
    (input.is_sequence ? folders : files)[input.option] = real_path_of(files_.inputs[i].descriptor);
  }
  auto folder = folders_.begin();
  for (const JobFile& output : files_.named.outputs)
    folders[output.option] = real_path_of((folder++)->descriptor);
  v1::JobSpec real = spec_;
  bool has_links = false;
  const auto put_real_path = [&](google::protobuf::Message& holder, const options::Option& option,
                                 const std::string& path) {
    const std::filesystem::path named(options::format_value(holder, option));
    std::string found;
    if (const auto file = files.find(path); file != files.end()) found = file->second;
    if (const auto parent = folders.find(path); parent != folders.end() && !parent->second.empty())
      found = (std::filesystem::path(parent->second) / named.filename()).string();
    if (found.empty() || found == named.lexically_normal()) return;
    has_links = true;
    holder.GetReflection()->SetString(&holder, &option.field(), found);
  };
  if (const auto kind = options::job_kind_of(spec_))
    options::visit_options(kind->choose(real), "", put_real_path);
  if (has_links) files_.real_paths = std::move(real);
}

}  // namespace

StatusOr<CheckedInput> open_input(const std::string& path, std::string_view role, const FileRights& rights) {
  FoundFile found = open_file(rights, path);
  if (is_shortage(found.error)) return cannot_now(role, found, path);
  if (!found.is_found())
    return found.error != 0 ? invalid_argument("The {} {} ({}).", role, found.why, path)
                            : invalid_argument("The {} {} ({}); name a file.", role, found.why, path);
  if (found.info.st_size == 0) return invalid_argument("The {} is empty (0 bytes: {}).", role, path);
  return CheckedInput{std::move(found.descriptor), found.info};
}

StatusOr<CheckedFiles> check_files(const v1::JobSpec& spec, bool overwrite, const FileRights& rights) {
  return FileCheck(spec, overwrite, rights).run();
}

Status about_state(const std::string& field, const std::string& why) {
  const Status named = options::to_status({{field, why}});
  Status status = make_status(StatusCode::kFailedPrecondition, message_of(named));
  named.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { status.SetPayload(type, payload); });
  return status;
}

}  // namespace weft::queue
