// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/publishing.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "options/job_files.h"
#include "options/job_kinds.h"
#include "options/values.h"
#include "server/queue/files/file_error.h"
#include "server/queue/files/finished_files.h"
#include "server/queue/files/job_files.h"
#include "server/queue/files/landing.h"
#include "server/queue/files/sync_file.h"
#include "server/queue/files/work_binding.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using channel::FileDescriptor;

// Returns false if the encoder writes no file, so that nothing is to be published.
bool writes_a_file(const v1::JobSpec& spec) {
  bool writes = true;
  const google::protobuf::Message& job = options::job_message(spec);
  for (const options::Option& option : options::options_of(job.GetDescriptor()))
    if (option.field().enum_type() == v1::Encoder_descriptor())
      writes = writes && options::format_value(job, option) != options::choice_name(v1::ENCODER_NULL);
  return writes;
}

// Publishes the files of one job. Used once.
class Publishing {
 public:
  Publishing(const v1::Job& job, std::string work_folder, const StoreIdentity& store,
             const FileRights& rights, const CopyReport& report)
      : job_(job), path_(std::move(work_folder)), store_(store), rights_(rights), report_(report) {}

  Status run() {
    RETURN_IF_ERROR(open_folder());
    RETURN_IF_ERROR(find_items());
    RETURN_IF_ERROR(open_folders());
    Status moved = move_items();
    if (moved.ok()) moved = sync_folders();
    if (!moved.ok()) landing_->remove();
    RETURN_IF_ERROR(moved);
    for (const FinishedFile& item : items_) RETURN_IF_ERROR(see(item));
    return ok_status();
  }

 private:
  // Moves all files, and repeats this with copies for each target folder to which a rename crosses
  // the border of a file system.
  Status move_items() {
    while (true) {
      RETURN_IF_ERROR(landing_->copy(items_));
      Status moved;
      for (const FinishedFile& item : items_)
        if (moved.ok()) moved = move_item(item);
      if (moved.ok() || !std::exchange(is_crossing_, false)) return moved;
    }
  }

  std::string in_work(const std::string& name) const { return path_ + "/" + name; }
  std::string note_name() const { return fmt::format("publishing-{}", job_.attempt()); }

  // Opens the work folder. The folder above it is opened with the submitter's rights, as are the
  // target folders, unless the daemon chose it.
  Status open_folder() {
    const fs::path path(path_);
    const std::string parent = path.parent_path().string();
    const FoundFile above = open_target_folder(is_location_of_daemon(job_) ? FileRights{} : rights_, parent);
    if (above.error == ENOENT || above.error == ENOTDIR) return not_there();
    if (!above.is_found())
      return with_context(cannot_use(above, parent), fmt::format("What is finished stays in {}", path_));
    folder_.reset(::openat(above.descriptor.get(), path.filename().c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const int error = errno;
    if (!folder_.is_open() && (error == ENOENT || error == ENOTDIR || error == ELOOP)) return not_there();
    if (!folder_.is_open()) return file_error(error, "The work folder cannot be opened", path_);
    struct stat info {};
    if (::fstat(folder_.get(), &info) != 0)
      return file_error(errno, "The work folder cannot be looked at", path_);
    // A user with write access to the folder above may move or replace the work folder. The content
    // of the daemon's own folder is trusted.
    if (info.st_uid != ::geteuid())
      return permission_denied(
          "The work folder with the finished file belongs to somebody else ({}, user id {}): it was "
          "exchanged. Put "
          "the daemon's back and retry the job.",
          path_, info.st_uid);
    file_system_ = info.st_dev;
    if (is_bound(folder_.get(), job_, store_.secret)) return ok_status();
    return permission_denied(
        "The work folder ({}) is not the one that this attempt of the job worked in: somebody exchanged it. "
        "Nothing was published from it. Put the job's own back, or move this one away, and retry the job.",
        path_);
  }

  Status not_there() const {
    return failed_precondition(
        "The work folder with the finished file is not where it was made ({}): a folder above it was moved "
        "or removed, or its "
        "file system is no longer mounted. Put it back and retry the job.",
        path_);
  }

  // Opens the target folders. Later steps use these descriptors, independent of the paths.
  Status open_folders() {
    for (const FinishedFile& item : items_) {
      const std::string folder = folder_of(item);
      if (folders_.contains(folder)) continue;
      FoundFile target = open_target_folder(rights_, folder);
      if (!target.is_found())
        return with_context(cannot_use(target, folder),
                            fmt::format("The finished file stays in {}", in_work(item.name)));
      const FoundFile& opened = folders_.emplace(folder, std::move(target)).first->second;
      if (opened.info.st_dev != file_system_) landing_->add_folder(folder, opened.descriptor.get());
    }
    return ok_status();
  }

  static Status cannot_use(const FoundFile& target, const std::string& folder) {
    if (target.error == EACCES)
      return permission_denied("The output's folder cannot be used ({}): it {}.", folder, target.why);
    return file_error(target.error, "The output's folder cannot be opened", folder);
  }

  static std::string folder_of(const FinishedFile& item) {
    return fs::path(item.target).parent_path().string();
  }
  const FoundFile& folder_for(const FinishedFile& item) const { return folders_.at(folder_of(item)); }
  int folder_at(const FinishedFile& item) const { return folder_for(item).descriptor.get(); }
  static std::string name_at(const FinishedFile& item) { return fs::path(item.target).filename().string(); }

  // Reads the items from the note, so that files that were moved before a crash are included.
  // Without a note no file was moved yet, and the note is written.
  Status find_items() {
    const WorkFolder folder{folder_.get(), path_};
    ASSIGN_OR_RETURN(std::optional<std::vector<FinishedFile>> noted,
                     read_note(folder, note_name(), job_.spec()));
    if (!noted) {
      ASSIGN_OR_RETURN(noted, find_finished(folder, job_.spec()));
      RETURN_IF_ERROR(write_note(folder, note_name(), *noted));
    }
    items_ = *std::move(noted);
    landing_.emplace(job_, store_, folder, note_name() + "-copies", report_);
    return landing_->read_copies();
  }

  // Gives a file to the submitter before it is moved, while only the daemon's user has access to
  // it.
  Status give_to_submitter(const FinishedFile& item) const {
    const auto owner = owner_of_new(rights_, folder_for(item).info);
    if (!owner) return ok_status();
    const MovableFile from = landing_->movable(item);
    FileDescriptor file(
        ::openat(from.folder, from.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.is_open() && ::fchown(file.get(), owner->user, owner->group) == 0) return ok_status();
    return file_error(errno, "The finished file cannot be given to whoever submitted the job",
                      in_work(item.name));
  }

  // Moves one file, or its copy. If it is no longer in its folder it was moved earlier; see()
  // verifies it.
  Status move_item(const FinishedFile& item) {
    const MovableFile from = landing_->movable(item);
    struct stat info {};
    if (inspect_target(item, info) && landing_->is_of(item, info)) return ok_status();
    if (::fstatat(from.folder, from.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? ok_status()
                             : file_error(errno, "The finished file cannot be looked at", in_work(item.name));
    RETURN_IF_ERROR(give_to_submitter(item));
    FAULT_POINT("publish.before_rename");
    if (job_.settings().overwrite()) return replace(item);
    if (::renameat2(from.folder, from.name.c_str(), folder_at(item), name_at(item).c_str(),
                    RENAME_NOREPLACE) == 0)
      return ok_status();
    if (is_unknown(errno)) return link_or_claim(item);
    return cannot(errno, item);
  }

  // Returns false if there is no file at the target.
  bool inspect_target(const FinishedFile& item, struct stat& info) const {
    return ::fstatat(folder_at(item), name_at(item).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  }

  static bool is_unknown(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

  // Adds the target folder to those with copies if the file is on another file system or mount.
  Status cannot(int error, const FinishedFile& item) {
    if (error == EXDEV) is_crossing_ = landing_->add_folder(folder_of(item), folder_at(item));
    return with_context(file_error(error, "The output cannot be put in its place", item.target),
                        fmt::format("The finished file stays in {}", in_work(item.name)));
  }

  // Replaces the file at the target. A socket or device that was created there since the submit is
  // no output and is not replaced.
  Status replace(const FinishedFile& item) {
    struct stat info {};
    const bool is_there = inspect_target(item, info);
    if (is_there && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
      return with_context(
          failed_precondition("The output's place is taken by {} ({}); remove it and retry the job.",
                              kind_of_file(info.st_mode), item.target),
          fmt::format("The finished file stays in {}", in_work(item.name)));
    if (!may_replace(rights_, folder_for(item), name_at(item))) return cannot(EPERM, item);
    if (is_there && is_input(item, info))
      return with_context(
          failed_precondition("The output's place is taken by an input of the job ({}); move that away and "
                              "retry the job.",
                              item.target),
          fmt::format("The finished file stays in {}", in_work(item.name)));
    return rename_over(item);
  }

  // Returns true if the target, or the file that a link there refers to, is an input of the job.
  bool is_input(const FinishedFile& item, const struct stat& there) {
    if (!inputs_) inputs_ = ids_of_inputs(job_.spec(), rights_);
    if (inputs_->contains(id_of(there))) return true;
    const FoundFile led = S_ISLNK(there.st_mode) ? open_file(rights_, item.target) : FoundFile();
    return led.descriptor.is_open() && inputs_->contains(id_of(led.info));
  }

  Status rename_over(const FinishedFile& item) {
    const MovableFile from = landing_->movable(item);
    if (::renameat(from.folder, from.name.c_str(), folder_at(item), name_at(item).c_str()) == 0)
      return ok_status();
    return cannot(errno, item);
  }

  // Some network file systems have no rename that fails instead of replacing. A hard link fails in
  // the same way.
  Status link_or_claim(const FinishedFile& item) {
    const MovableFile from = landing_->movable(item);
    if (::linkat(from.folder, from.name.c_str(), folder_at(item), name_at(item).c_str(), 0) == 0) {
      FAULT_POINT("publish.between_link_and_unlink");
      ::unlinkat(from.folder, from.name.c_str(), 0);
      return ok_status();
    }
    if (is_unknown(errno) || errno == EPERM || errno == EMLINK) return claim(item);
    return cannot(errno, item);
  }

  // On a file system without hard links, an empty file claims the name, created exclusively, and is
  // then replaced. A note written before identifies the claim, in case the daemon ends in between.
  Status claim(const FinishedFile& item) {
    const std::string note = fmt::format("{}-claim-{}", note_name(), &item - items_.data());
    const bool claimed = ::faccessat(folder_.get(), note.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    FileDescriptor mark(::openat(folder_.get(), note.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!mark.is_open()) return cannot(errno, item);
    RETURN_IF_ERROR(sync_folder(folder_.get(), path_));
    FAULT_POINT("publish.before_claim");
    FileDescriptor target(::openat(folder_at(item), name_at(item).c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const int error = errno;
    if (!target.is_open() && !(error == EEXIST && claimed && is_empty(item))) {
      ::unlinkat(folder_.get(), note.c_str(), 0);
      return cannot(error, item);
    }
    FAULT_POINT("publish.between_claim_and_rename");
    const Status moved = rename_over(item);
    if (!moved.ok() && is_empty(item)) ::unlinkat(folder_at(item), name_at(item).c_str(), 0);
    return moved;
  }

  bool is_empty(const FinishedFile& item) const {
    struct stat info {};
    return inspect_target(item, info) && S_ISREG(info.st_mode) && info.st_size == 0;
  }

  Status sync_folders() {
    for (const auto& [path, target] : folders_) {
      FileDescriptor folder(::openat(target.descriptor.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!folder.is_open()) return file_error(errno, "The output's folder cannot be opened", path);
      RETURN_IF_ERROR(sync_folder(folder.get(), path));
    }
    return ok_status();
  }

  Status see(const FinishedFile& item) const {
    struct stat info {};
    if (inspect_target(item, info) && landing_->is_of(item, info)) return ok_status();
    return data_loss(
        "The finished file was moved to its place ({}), and {} there now: somebody moved or replaced it. "
        "Retry the job to make it "
        "again.",
        item.target, info.st_ino != 0 ? "another file is" : "no file is");
  }

  const v1::Job& job_;
  const std::string path_;
  const StoreIdentity& store_;
  const FileRights& rights_;
  const CopyReport& report_;
  FileDescriptor folder_;
  dev_t file_system_ = 0;  // of the work folder
  std::vector<FinishedFile> items_;
  std::map<std::string, FoundFile> folders_;  // by path
  std::optional<Landing> landing_;            // set by find_items()
  bool is_crossing_ = false;                  // true if a target folder was added to landing_
  std::optional<std::set<FileId>> inputs_;    // set when a file is to be replaced first
};

}  // namespace

Status publish_job(const v1::Job& job, std::string_view state_folder, const StoreIdentity& store,
                   const FileRights& rights, const CopyReport& report) {
  if (!writes_a_file(job.spec()) || options::files_of_job(job.spec()).outputs.empty()) return ok_status();
  return Publishing(job, work_folder_of(job, state_folder), store, rights, report).run();
}

}  // namespace weft::queue
