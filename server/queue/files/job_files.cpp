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

StatusOr<FileDescriptor> open_input(const options::JobFile& file) {
  if (file.is_sequence) {
    FileDescriptor folder(::open(file.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open())
      return file_error(errno, "The folder of the input's frames cannot be opened", file.folder());
    return folder;
  }
  const std::string& path = file.path;
  FileDescriptor input(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat facts {};
  if (!input.is_open() || ::fstat(input.get(), &facts) != 0)
    return file_error(errno, "The input cannot be opened", path);
  if (!S_ISREG(facts.st_mode))
    return failed_precondition("The input is no longer a regular file ({}).", path);
  return input;
}

// Whether the path still leads to the open folder.
bool is_at(const std::string& path, const struct stat& folder) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && facts.st_dev == folder.st_dev && facts.st_ino == folder.st_ino;
}

Status open_work_folder(const std::string& path, OpenJob& open) {
  open.made_folder = ::mkdir(path.c_str(), 0700) == 0;
  if (!open.made_folder && errno != EEXIST) return file_error(errno, "The work folder cannot be made", path);
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
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
  if (!is_at(path, facts)) return aborted("An earlier attempt has just removed the work folder ({}).", path);
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

StatusOr<OpenJob> open_job(const v1::Job& job, std::string_view state_folder, std::string_view store_id) {
  OpenJob open;
  const options::JobFiles files = options::files_of_job(job.spec());
  for (const options::JobFile& file : files.inputs) {
    ASSIGN_OR_RETURN(FileDescriptor input, open_input(file));
    open.inputs.push_back(std::move(input));
  }
  if (files.outputs.empty())
    ::mkdir(work_place_of(state_folder).c_str(), 0700);  // what fails, fails again below
  RETURN_IF_ERROR(open_work_folder(work_folder_of(job, state_folder), open));
  if (!store_id.empty()) mark_work_folder(open.work_folder.get(), store_id);
  return open;
}

void remove_unused_folder(const v1::Job& job, std::string_view state_folder, const OpenJob& open) {
  if (!open.made_folder) return;
  unmark_work_folder(open.work_folder.get());
  ::rmdir(work_folder_of(job, state_folder).c_str());
}

Status discard_job(const v1::Job& job, std::string_view state_folder) {
  const std::string work_folder = work_folder_of(job, state_folder);
  std::error_code error;
  fs::remove_all(work_folder, error);
  if (!error) return ok_status();
  Status status = unavailable("The work folder stays behind ({}): {}.", work_folder, error.message());
  log_job_warning(job.id(), job.attempt(), "{}", message_of(status));
  return status;
}

}  // namespace weft::queue
