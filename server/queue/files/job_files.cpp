// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/job_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "options/file_set.h"
#include "options/frame_pattern.h"
#include "options/job_files.h"
#include "options/segments.h"
#include "server/queue/files/analysis_folder.h"
#include "server/queue/files/file_error.h"
#include "server/queue/files/sync_file.h"
#include "server/queue/records/job_filter.h"
#include "server/queue/records/orphans.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using channel::FileDescriptor;

// Number of attempts to empty a work folder. Limits the loop on a file system that lists removed
// files.
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

// Returns the names of the sequence's or set's files that are in its folder at present.
std::vector<std::string> names_in_sequence(const v1::JobSpec& spec, const options::JobFile& input,
                                           int folder) {
  std::vector<std::string> names;
  if (input.is_set) {
    const StatusOr<options::FileSet> set = options::file_set_of(spec);
    if (!set.ok()) return names;
    const StatusOr<std::vector<options::SetFile>> files = set->list(folder);
    if (files.ok())
      for (const options::SetFile& file : *files) names.push_back(file.name);
    return names;
  }
  const StatusOr<options::FramePattern> pattern = options::FramePattern::parse(input.path);
  if (!pattern.ok()) return names;
  const StatusOr<options::FrameList> frames = options::list_frames(*pattern, folder, std::nullopt);
  if (frames.ok())
    for (const auto& [frame, name] : frames->files) names.push_back(name);
  return names;
}

// Returns true if the file was written or renamed after the submit. Compares the ctime, which a
// user cannot set.
bool is_newer(const struct stat& info, const v1::Job& job) {
  const std::pair changed(int64_t{info.st_ctim.tv_sec}, int64_t{info.st_ctim.tv_nsec});
  return changed > std::pair(job.submit_time().seconds(), int64_t{job.submit_time().nanos()});
}

bool has_changed(const options::JobFile& input, int descriptor, const v1::Job& job) {
  struct stat info {};
  if (!input.is_sequence) return ::fstat(descriptor, &info) == 0 && is_newer(info, job);
  const std::vector<std::string> names = names_in_sequence(job.spec(), input, descriptor);
  return std::ranges::any_of(names, [&](const std::string& name) {
    return ::fstatat(descriptor, name.c_str(), &info, 0) == 0 && is_newer(info, job);
  });
}

// Opens the inputs of a job, in the order of `files`.
Status open_inputs(const v1::Job& job, const options::JobFiles& files, const FileRights& rights,
                   OpenJob& open) {
  for (const options::JobFile& file : files.inputs) {
    ASSIGN_OR_RETURN(FileDescriptor input, open_input(file, rights));
    open.inputs_changed |= has_changed(file, input.get(), job);
    open.inputs.push_back(std::move(input));
  }
  return ok_status();
}

// Returns true if the name still refers to the open folder.
bool is_at(int above, const std::string& name, const struct stat& folder) {
  struct stat info {};
  return ::fstatat(above, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && id_of(info) == id_of(folder);
}

// Opens the folder that contains the work folder. A folder of the configuration may be mounted
// later, so that the job waits for it.
StatusOr<FileDescriptor> open_work_location(const v1::Job& job, const std::string& path,
                                            const FileRights& rights) {
  const bool is_ours = is_location_of_daemon(job);
  FoundFile folder = open_target_folder(is_ours ? FileRights{} : rights, path);
  if (folder.is_found()) return std::move(folder.descriptor);
  if (is_ours && !job.work_location().empty())
    return unavailable(
        "The daemon's folder for work {} ({}); mount or create it, or cancel the job and submit it again "
        "after "
        "a change of work_dir.",
        folder.why, path);
  return cannot_open(folder, "The work folder cannot be made", path);
}

// Returns true if a work folder of the daemon contains only the marks of its creation, because the
// daemon ended then.
bool is_unused(int folder) {
  const StatusOr<std::vector<std::string>> names = list_names(folder);
  return names.ok() && (names->empty() || *names == std::vector<std::string>{kWorkFolderMark});
}

// Makes the creation or removal of a work folder durable: syncs the folder `name` in `at`, which
// contains it. A containing folder that is missing, or not readable for the daemon, is not synced.
Status sync_above(int at, const char* name, const std::string& work_folder) {
  const FileDescriptor above(::openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string path = fs::path(work_folder).parent_path().string();
  if (above.is_open()) return sync_folder(above.get(), path);
  if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return ok_status();
  return file_error(errno, "The folder above the work folder cannot be opened", path);
}

// Opens or creates the work folder in `above`. `path` is the path of the work folder.
Status open_work_folder(int above, const std::string& path, OpenJob& open) {
  const std::string name = fs::path(path).filename().string();
  open.made_folder = ::mkdirat(above, name.c_str(), 0700) == 0;
  if (!open.made_folder && errno != EEXIST) return file_error(errno, "The work folder cannot be made", path);
  FileDescriptor folder(::openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder.is_open() || ::fstat(folder.get(), &info) != 0)
    return file_error(errno, "The work folder cannot be opened", path);
  if (info.st_uid != ::geteuid())
    return permission_denied("The work folder belongs to somebody else ({}, user id {}); remove it.", path,
                             info.st_uid);
  // On a file system that cannot lock a folder, the work folder is used without a lock.
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return aborted("An earlier attempt still has the work folder ({}).", path);
  // The previous holder of the lock may have removed it.
  if (!is_at(above, name, info))
    return aborted("An earlier attempt has just removed the work folder ({}).", path);
  open.work_folder = std::move(folder);
  return ok_status();
}

// Binds the folder to the attempt. A folder that was not created for this job is refused,
// since the worker trusts and publishes the content of a bound folder.
Status bind(const v1::Job& job, const std::string& path, const std::string& secret, OpenJob& open) {
  const int folder = open.work_folder.get();
  if (!open.made_folder && !was_bound(folder, job, secret) && !is_unused(folder))
    return permission_denied(
        "The work folder ({}) was not made for this job: somebody exchanged it. Put the job's own back, or "
        "move this one away, and retry the job.",
        path);
  ASSIGN_OR_RETURN(open.binding, bind_work_folder(folder, job, secret));
  return ok_status();
}

}  // namespace

std::string work_location_of(std::string_view state_folder) { return fmt::format("{}/work", state_folder); }

std::string work_folder_of(const v1::Job& job, std::string_view state_folder) {
  return options::work_folder_of(job, work_location_of(state_folder));
}

bool is_location_of_daemon(const v1::Job& job) {
  if (!job.work_location().empty()) return job.settings().work_dir().empty();
  return options::files_of_job(job.spec()).outputs.empty();
}

std::vector<std::string> paths_of(const v1::Job& job) {
  const options::JobFiles files = options::files_of_job(job.spec());
  std::vector<std::string> paths;
  for (const auto* each : {&files.inputs, &files.outputs})
    for (const options::JobFile& file : *each) paths.push_back(file.path);
  if (!job.work_location().empty()) paths.push_back(job.work_location());
  return paths;
}

std::vector<std::string> written_paths_of(const v1::Job& job) {
  std::vector<std::string> paths = outputs_of_spec(job.spec());
  if (!job.work_location().empty()) paths.push_back(job.work_location());
  return paths;
}

StatusOr<std::vector<std::string>> list_names(int folder) {
  // Opens the folder again, since the position in the listing belongs to the descriptor.
  FileDescriptor own(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* entries = own.is_open() ? ::fdopendir(own.get()) : nullptr;
  if (entries == nullptr) return file_error(errno, "The folder cannot be listed", ".");
  static_cast<void>(own.release());
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  const int error = errno;
  ::closedir(entries);
  if (error != 0) return file_error(error, "The folder cannot be listed", ".");
  std::sort(names.begin(), names.end());
  return names;
}

StatusOr<OpenJob> open_task(const v1::Job& job, std::string_view state_folder, const StoreIdentity& store,
                            const FileRights& rights) {
  OpenJob open;
  const options::JobFiles files = options::files_of_job(job.spec());
  RETURN_IF_ERROR(open_inputs(job, files, rights, open));
  const std::string path = work_folder_of(job, state_folder);
  ASSIGN_OR_RETURN(const FileDescriptor above,
                   open_work_location(job, fs::path(path).parent_path().string(), rights));
  const std::string name = fs::path(path).filename().string();
  open.work_folder =
      FileDescriptor(::openat(above.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!open.work_folder.is_open() && errno != ENOENT)
    return file_error(errno, "The work folder cannot be opened", path);
  if (!open.work_folder.is_open() || !is_bound(open.work_folder.get(), job, store.secret))
    return aborted("The attempt has not opened its work folder yet ({}).", path);
  return open;
}

StatusOr<OpenJob> open_job(const v1::Job& job, std::string_view state_folder, const StoreIdentity& store,
                           const FileRights& rights) {
  OpenJob open;
  const options::JobFiles files = options::files_of_job(job.spec());
  RETURN_IF_ERROR(open_inputs(job, files, rights, open));
  const std::string path = work_folder_of(job, state_folder);
  const std::string location = fs::path(path).parent_path().string();
  // if this fails, opening the folder below reports the error
  if (location == work_location_of(state_folder)) ::mkdir(location.c_str(), 0700);
  ASSIGN_OR_RETURN(const FileDescriptor above, open_work_location(job, location, rights));
  RETURN_IF_ERROR(open_bound_folder(above.get(), path, job, store, open));
  if (!options::works_in_segments(job.spec())) return open;
  StatusOr<FileDescriptor> analyses =
      open_analysis_folder(state_folder, job.settings().owner(), rights.caller);
  if (analyses.ok())
    open.analyses = *std::move(analyses);
  else
    log_warning({.job = job.id()}, "No analysis is kept. {}", message_of(analyses.status()));
  return open;
}

Status open_bound_folder(int above, const std::string& path, const v1::Job& job, const StoreIdentity& store,
                         OpenJob& open) {
  RETURN_IF_ERROR(open_work_folder(above, path, open));
  if (!store.id.empty()) mark_work_folder(open.work_folder.get(), store.id);
  RETURN_IF_ERROR(bind(job, path, store.secret, open));
  // The folder must be durable before the store counts finished work in it.
  return sync_above(above, ".", path);
}

std::set<FileId> ids_of_inputs(const v1::JobSpec& spec, const FileRights& rights) {
  std::set<FileId> ids;
  for (const options::JobFile& input : options::files_of_job(spec).inputs) {
    if (!input.is_sequence) {
      const FoundFile file = open_file(rights, input.path);
      if (file.descriptor.is_open()) ids.insert(id_of(file.info));
      continue;
    }
    const FoundFile folder = open_folder(rights, input.folder());
    if (!folder.is_found()) continue;
    for (const std::string& name : names_in_sequence(spec, input, folder.descriptor.get())) {
      struct stat info {};
      if (::fstatat(folder.descriptor.get(), name.c_str(), &info, 0) == 0) ids.insert(id_of(info));
    }
  }
  return ids;
}

void remove_unused_folder(const v1::Job& job, std::string_view state_folder, const OpenJob& open) {
  if (!open.made_folder) return;
  ::unlinkat(open.work_folder.get(), open.binding.c_str(), 0);
  unmark_work_folder(open.work_folder.get());
  ::rmdir(work_folder_of(job, state_folder).c_str());
}

namespace {

// Returns true if the work folder may be removed. Also true if it is missing or cannot be opened;
// the removal then reports the error.
bool is_removable(const std::string& work_folder, const v1::Job& job, std::string_view secret) {
  struct stat info {};
  const FileDescriptor folder(::open(work_folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) return ::lstat(work_folder.c_str(), &info) != 0 || info.st_uid == ::geteuid();
  return ::fstat(folder.get(), &info) == 0 && info.st_uid == ::geteuid() &&
         (was_bound(folder.get(), job, secret) || is_unused(folder.get()));
}

// Removes the folder and its content. The binding to the job is removed last, so that a later
// attempt can complete a partial removal.
void remove_work(const std::string& work_folder, std::error_code& error) {
  for (fs::directory_iterator entry(work_folder, error), end; !error && entry != end; entry.increment(error))
    if (!is_binding(entry->path().filename().string())) {
      fs::remove_all(entry->path(), error);
      if (error) return;
    }
  if (!error || error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
    fs::remove_all(work_folder, error);
}

}  // namespace

// A folder that another user created or moved there is left alone.
Status remove_job_folder(const std::string& work_folder, const v1::Job& job, std::string_view secret) {
  if (!is_removable(work_folder, job, secret)) {
    log_warning({.job = job.id(), .attempt = job.attempt()},
                "The work folder is not the job's: it was exchanged, and stays ({}).", work_folder);
    return ok_status();
  }
  // The worker of a cancelled job may remove its unfinished files at the same time. remove_all()
  // then fails at a file that is gone, and is repeated.
  std::error_code error;
  for (int pass = 0; pass < kMostPasses; pass++) {
    remove_work(work_folder, error);
    if (error != std::errc::no_such_file_or_directory) break;
  }
  // Without the sync the folder could reappear after a power cut and would never be removed.
  const std::string above = fs::path(work_folder).parent_path().string();
  Status status = error ? unavailable("The work folder stays behind ({}): {}.", work_folder, error.message())
                        : sync_above(AT_FDCWD, above.c_str(), work_folder);
  if (status.ok()) return status;
  log_warning({.job = job.id(), .attempt = job.attempt()}, "{}", message_of(status));
  return status;
}

// A landing folder that stays, on a file system that fails, keeps no space of the work.
Status discard_job(const v1::Job& job, std::string_view state_folder, std::string_view secret) {
  Status landings;
  for (const std::string& landing : options::landing_folders_of(job))
    if (const Status removed = remove_job_folder(landing, job, secret); landings.ok()) landings = removed;
  const Status work = remove_job_folder(work_folder_of(job, state_folder), job, secret);
  return landings.ok() ? work : landings;
}

}  // namespace weft::queue
