// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/job_files.h"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "options/job_files.h"
#include "server/queue/files/file_error.h"
#include "server/queue/records/orphans.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using channel::FileDescriptor;

// Passes over a work folder that is being removed: a file system that names what is not there must end.
constexpr int kMostPasses = 1024;

Status cannot_open(const FoundFile& found, std::string_view what, const std::string& path) {
  if (found.error == 0 || found.error == EACCES)
    return permission_denied("{} ({}): it {}.", what, path, found.why);
  return file_error(found.error, what, path);
}

StatusOr<FileDescriptor> open_input(const options::JobFile& file, const FileRights& rights) {
  if (file.is_sequence) {
    FoundFile folder = open_folder(rights, file.folder());
    if (!folder.is_found())
      return cannot_open(folder, "The folder of the input's frames cannot be opened", file.folder());
    return std::move(folder.descriptor);
  }
  FoundFile input = open_file(rights, file.path);
  if (input.is_found()) return std::move(input.descriptor);
  if (input.error == 0) return failed_precondition("The input is no longer a regular file ({}).", file.path);
  return cannot_open(input, "The input cannot be opened", file.path);
}

// Whether the name still leads to the open folder.
bool is_at(int above, const std::string& name, const struct stat& folder) {
  struct stat facts {};
  return ::fstatat(above, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && id_of(facts) == id_of(folder);
}

// The folder that the work folder lies in.
StatusOr<FileDescriptor> open_work_place(const std::string& path, bool is_ours, const FileRights& rights) {
  if (is_ours) {
    FileDescriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open()) return file_error(errno, "The work folder cannot be made", path);
    return folder;
  }
  FoundFile folder = open_target_folder(rights, path);
  if (!folder.is_found()) return cannot_open(folder, "The work folder cannot be made", path);
  return std::move(folder.descriptor);
}

// In `above`, whose name and the work folder's are `path`.
Status open_work_folder(int above, const std::string& path, OpenJob& open) {
  const std::string name = fs::path(path).filename().string();
  open.made_folder = ::mkdirat(above, name.c_str(), 0700) == 0;
  if (!open.made_folder && errno != EEXIST) return file_error(errno, "The work folder cannot be made", path);
  FileDescriptor folder(::openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!folder.is_open() || ::fstat(folder.get(), &facts) != 0)
    return file_error(errno, "The work folder cannot be opened", path);
  if (facts.st_uid != ::geteuid())
    return permission_denied("The work folder belongs to somebody else ({}, user id {}); remove it.", path,
                             facts.st_uid);
  // File systems that cannot lock a folder do without.
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return aborted("An earlier attempt still has the work folder ({}).", path);
  // Whoever had the lock until now may have removed it.
  if (!is_at(above, name, facts))
    return aborted("An earlier attempt has just removed the work folder ({}).", path);
  open.work_folder = std::move(folder);
  return ok_status();
}

}  // namespace

std::string work_place_of(std::string_view state_folder) { return fmt::format("{}/work", state_folder); }

std::string work_folder_of(const v1::Job& job, std::string_view state_folder) {
  const options::JobFiles files = options::files_of_job(job.spec());
  if (files.outputs.empty()) return fmt::format("{}/.weft-{}", work_place_of(state_folder), job.id());
  return options::work_folder_of(files.outputs[0], job.id());
}

std::vector<std::string> paths_of(const v1::Job& job) {
  const options::JobFiles files = options::files_of_job(job.spec());
  std::vector<std::string> paths;
  for (const auto* each : {&files.inputs, &files.outputs})
    for (const options::JobFile& file : *each) paths.push_back(file.path);
  return paths;
}

StatusOr<OpenJob> open_job(const v1::Job& job, std::string_view state_folder, std::string_view store_id,
                           const FileRights& rights) {
  OpenJob open;
  const options::JobFiles files = options::files_of_job(job.spec());
  for (const options::JobFile& file : files.inputs) {
    ASSIGN_OR_RETURN(FileDescriptor input, open_input(file, rights));
    open.inputs.push_back(std::move(input));
  }
  const bool is_ours = files.outputs.empty();
  if (is_ours) ::mkdir(work_place_of(state_folder).c_str(), 0700);  // what fails, fails again below
  const std::string path = work_folder_of(job, state_folder);
  ASSIGN_OR_RETURN(const FileDescriptor above,
                   open_work_place(fs::path(path).parent_path().string(), is_ours, rights));
  RETURN_IF_ERROR(open_work_folder(above.get(), path, open));
  if (!store_id.empty()) mark_work_folder(open.work_folder.get(), store_id);
  return open;
}

void remove_unused_folder(const v1::Job& job, std::string_view state_folder, const OpenJob& open) {
  if (!open.made_folder) return;
  unmark_work_folder(open.work_folder.get());
  ::rmdir(work_folder_of(job, state_folder).c_str());
}

// One that somebody else put there, or moved there, is not ours to remove.
Status discard_job(const v1::Job& job, std::string_view state_folder) {
  const std::string work_folder = work_folder_of(job, state_folder);
  struct stat facts {};
  if (::lstat(work_folder.c_str(), &facts) == 0 && facts.st_uid != ::geteuid()) {
    log_job_warning(job.id(), job.attempt(), "The work folder belongs to somebody else, and stays ({}).",
                    work_folder);
    return ok_status();
  }
  // The worker of a cancelled job may remove its unfinished files meanwhile: remove_all() stops at a name that went.
  std::error_code error;
  for (int pass = 0; pass < kMostPasses; pass++) {
    fs::remove_all(work_folder, error);
    if (error != std::errc::no_such_file_or_directory) break;
  }
  if (!error) return ok_status();
  Status status = unavailable("The work folder stays behind ({}): {}.", work_folder, error.message());
  log_job_warning(job.id(), job.attempt(), "{}", message_of(status));
  return status;
}

}  // namespace weft::queue
