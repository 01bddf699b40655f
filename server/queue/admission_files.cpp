// SPDX-License-Identifier: Apache-2.0
#include "server/queue/admission_files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "options/job_kinds.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/queue/job_files.h"

namespace weft::queue {
namespace {

using options::Violation;

std::string_view kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "not a regular file";
}

std::string reason_of(int error) {
  switch (error) {
    case ENOENT:
      return "does not exist";
    case EACCES:
    case EPERM:
      return fmt::format("may not be used by the daemon (user id {})", ::geteuid());
    case ENOTDIR:
      return "has a part that is not a folder";
    case ELOOP:
      return "goes round in symbolic links";
    case ENAMETOOLONG:
      return "is too long";
    default:
      return fmt::format("cannot be used ({})", std::strerror(error));
  }
}

// Empty: all is well.
std::string check_input(const std::string& path, CheckedFiles& files) {
  // The kind first: opening a device may do things. Then again on what was really opened.
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return fmt::format("The input {} ({}).", reason_of(errno), path);
  if (!S_ISREG(facts.st_mode))
    return fmt::format("The input is {} ({}); name a file.", kind_of_file(facts.st_mode), path);
  files.input.reset(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!files.input.is_open() || ::fstat(files.input.get(), &files.input_facts) != 0)
    return fmt::format("The input {} ({}).", reason_of(errno), path);
  if (!S_ISREG(files.input_facts.st_mode))
    return fmt::format("The input is {} ({}); name a file.", kind_of_file(files.input_facts.st_mode), path);
  if (files.input_facts.st_size == 0) return fmt::format("The input is empty (0 bytes: {}).", path);
  return "";
}

std::string check_folder(const std::string& folder, CheckedFiles& files) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0)
    return fmt::format("The output's folder {} ({}).", reason_of(errno), folder);
  if (!S_ISDIR(facts.st_mode))
    return fmt::format("The output's folder is {} ({}).", kind_of_file(facts.st_mode), folder);
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return fmt::format("The output's folder is not writable for the daemon (user id {}: {}).", ::geteuid(),
                       folder);
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0)
    return fmt::format("The output's folder {} ({}).", reason_of(errno), folder);
  files.free_bytes = int64_t(space.f_bavail) * int64_t(space.f_frsize);
  files.file_system = facts.st_dev;
  return "";
}

std::string check_output(const std::string& path, CheckedFiles& files) {
  const std::filesystem::path whole(path);
  const std::string name = whole.filename().string();
  if (name.empty() || name == "." || name == "..")
    return fmt::format("The output names a folder ({}); name a file.", path);
  if (name.size() > kMaxOutputNameBytes)
    return fmt::format("The output's file name is too long ({} bytes, at most {}).", name.size(),
                       kMaxOutputNameBytes);
  if (std::string wrong = check_folder(whole.parent_path().string(), files); !wrong.empty()) return wrong;
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return "";
  if (!S_ISREG(facts.st_mode))
    return fmt::format("The output is {} ({}); name a file.", kind_of_file(facts.st_mode), path);
  if (facts.st_dev == files.input_facts.st_dev && facts.st_ino == files.input_facts.st_ino)
    return fmt::format("The output is the input itself ({}); name another file.", path);
  return "";
}

}  // namespace

JobPaths paths_of_job(const v1::JobSpec& spec) {
  JobPaths paths;
  const auto kind = options::job_kind_of(spec);
  if (!kind) return paths;
  for (const options::Option& option : options::options_of(kind->message())) {
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED || !option.required()) continue;
    NamedFile file;
    file.field = fmt::format("spec.{}.{}", kind->field->name(), option.path());
    file.path = options::format_value(options::job_message(spec), option);
    (option.path_kind() == v1::PATH_KIND_INPUT_FILE ? paths.input : paths.output) = file;
  }
  return paths;
}

StatusOr<CheckedFiles> check_files(const v1::JobSpec& spec, bool overwrite) {
  CheckedFiles files;
  files.paths = paths_of_job(spec);
  std::vector<Violation> violations;
  if (std::string wrong = check_input(files.paths.input.path, files); !wrong.empty())
    violations.push_back({files.paths.input.field, wrong});
  if (std::string wrong = check_output(files.paths.output.path, files); !wrong.empty())
    violations.push_back({files.paths.output.field, wrong});
  if (!violations.empty()) return options::to_status(violations);
  struct stat there {};
  if (!overwrite && ::lstat(files.paths.output.path.c_str(), &there) == 0)
    return about_state(
        files.paths.output.field,
        fmt::format("The output is there already ({}); choose another name, or allow to overwrite it.",
                    files.paths.output.path));
  return files;
}

Status about_state(const std::string& field, const std::string& why) {
  const Status named = options::to_status({{field, why}});
  Status status = make_status(StatusCode::kFailedPrecondition, message_of(named));
  named.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { status.SetPayload(type, payload); });
  return status;
}

}  // namespace weft::queue
