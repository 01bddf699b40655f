// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/publishing.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
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
#include "server/queue/files/sync_file.h"
#include "server/queue/files/work_binding.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using channel::FileDescriptor;

// An encoder that writes nothing leaves nothing to publish.
bool writes_a_file(const v1::JobSpec& spec) {
  bool writes = true;
  const google::protobuf::Message& job = options::job_message(spec);
  for (const options::Option& option : options::options_of(job.GetDescriptor()))
    if (option.field().enum_type() == v1::Encoder_descriptor())
      writes = writes && options::format_value(job, option) != options::choice_name(v1::ENCODER_NULL);
  return writes;
}

// One job's way, once.
class Publishing {
 public:
  Publishing(const v1::Job& job, std::string work_folder, std::string_view secret, const FileRights& rights)
      : job_(job), path_(std::move(work_folder)), secret_(secret), rights_(rights) {}

  Status run() {
    RETURN_IF_ERROR(open_folder());
    RETURN_IF_ERROR(find_items());
    RETURN_IF_ERROR(open_places());
    for (const FinishedFile& item : items_) RETURN_IF_ERROR(move_item(item));
    RETURN_IF_ERROR(sync_places());
    for (const FinishedFile& item : items_) RETURN_IF_ERROR(see(item));
    return ok_status();
  }

 private:
  std::string in_work(const std::string& name) const { return path_ + "/" + name; }
  std::string note_name() const { return fmt::format("publishing-{}", job_.attempt()); }

  // The work folder, below the folder of the first output, which is opened with the submitter's rights as the places are.
  Status open_folder() {
    const fs::path path(path_);
    const std::string parent = path.parent_path().string();
    FoundFile above = open_target_folder(rights_, parent);
    if (above.error == ENOENT || above.error == ENOTDIR) return not_there();
    if (!above.is_found())
      return with_context(cannot_use(above, parent), fmt::format("What is finished stays in {}", path_));
    folder_.reset(::openat(above.descriptor.get(), path.filename().c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const int error = errno;
    places_.emplace(parent, std::move(above));
    if (!folder_.is_open() && (error == ENOENT || error == ENOTDIR || error == ELOOP)) return not_there();
    if (!folder_.is_open()) return file_error(error, "The work folder cannot be opened", path_);
    struct stat facts {};
    if (::fstat(folder_.get(), &facts) != 0)
      return file_error(errno, "The work folder cannot be looked at", path_);
    // Who may write next to it may move it and put another one there. What lies in ours is trusted.
    if (facts.st_uid != ::geteuid())
      return permission_denied(
          "The work folder with the finished file belongs to somebody else ({}, user id {}): it was "
          "exchanged. Put "
          "the daemon's back and retry the job.",
          path_, facts.st_uid);
    if (is_bound(folder_.get(), job_, secret_)) return ok_status();
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

  // The folders that the files go to. From here on they are what counts, wherever their paths lead by then.
  Status open_places() {
    for (const FinishedFile& item : items_) {
      const std::string folder = folder_of(item);
      if (places_.contains(folder)) continue;
      FoundFile place = open_target_folder(rights_, folder);
      if (!place.is_found())
        return with_context(cannot_use(place, folder),
                            fmt::format("The finished file stays in {}", in_work(item.name)));
      places_.emplace(folder, std::move(place));
    }
    return ok_status();
  }

  static Status cannot_use(const FoundFile& place, const std::string& folder) {
    if (place.error == EACCES)
      return permission_denied("The output's folder cannot be used ({}): it {}.", folder, place.why);
    return file_error(place.error, "The output's folder cannot be opened", folder);
  }

  static std::string folder_of(const FinishedFile& item) {
    return fs::path(item.place).parent_path().string();
  }
  const FoundFile& place_of(const FinishedFile& item) const { return places_.at(folder_of(item)); }
  int folder_at(const FinishedFile& item) const { return place_of(item).descriptor.get(); }
  static std::string name_at(const FinishedFile& item) { return fs::path(item.place).filename().string(); }

  // As the note says, so that a file that was moved before a crash is known; without one nothing was moved yet.
  Status find_items() {
    const WorkFolder folder{folder_.get(), path_};
    ASSIGN_OR_RETURN(std::optional<std::vector<FinishedFile>> noted,
                     read_note(folder, note_name(), job_.spec()));
    if (!noted) {
      ASSIGN_OR_RETURN(noted, find_finished(folder, job_.spec()));
      RETURN_IF_ERROR(write_note(folder, note_name(), *noted));
    }
    items_ = *std::move(noted);
    return ok_status();
  }

  // Before it is seen there. It lies where nobody but us gets to it.
  Status give_to_submitter(const FinishedFile& item) const {
    const auto owner = owner_of_new(rights_, place_of(item).facts);
    if (!owner) return ok_status();
    FileDescriptor file(
        ::openat(folder_.get(), item.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.is_open() && ::fchown(file.get(), owner->user, owner->group) == 0) return ok_status();
    return file_error(errno, "The finished file cannot be given to whoever submitted the job",
                      in_work(item.name));
  }

  // A file that is no longer in the work folder was moved: see() tells.
  Status move_item(const FinishedFile& item) {
    struct stat facts {};
    if (::fstatat(folder_.get(), item.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? ok_status()
                             : file_error(errno, "The finished file cannot be looked at", in_work(item.name));
    if (is_linked(item, facts)) return ok_status();
    RETURN_IF_ERROR(give_to_submitter(item));
    FAULT_POINT("publish.before_rename");
    if (job_.settings().overwrite()) return replace(item);
    if (::renameat2(folder_.get(), item.name.c_str(), folder_at(item), name_at(item).c_str(),
                    RENAME_NOREPLACE) == 0)
      return ok_status();
    if (is_unknown(errno)) return link_or_claim(item);
    return cannot(errno, item);
  }

  // After a crash between link and unlink both names are the same file.
  bool is_linked(const FinishedFile& item, const struct stat& finished) const {
    struct stat facts {};
    return look_at_place(item, facts) && id_of(facts) == id_of(finished);
  }

  // False: nothing is there.
  bool look_at_place(const FinishedFile& item, struct stat& facts) const {
    return ::fstatat(folder_at(item), name_at(item).c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  }

  static bool is_unknown(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

  Status cannot(int error, const FinishedFile& item) const {
    return with_context(file_error(error, "The output cannot be put in its place", item.place),
                        fmt::format("The finished file stays in {}", in_work(item.name)));
  }

  // A socket or a device that came to be there since the submit is nobody's output.
  Status replace(const FinishedFile& item) {
    struct stat facts {};
    const bool is_there = look_at_place(item, facts);
    if (is_there && !S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode))
      return with_context(
          failed_precondition("The output's place is taken by {} ({}); remove it and retry the job.",
                              kind_of_file(facts.st_mode), item.place),
          fmt::format("The finished file stays in {}", in_work(item.name)));
    if (!may_replace(rights_, place_of(item), name_at(item))) return cannot(EPERM, item);
    if (is_there && is_input(item, facts))
      return with_context(
          failed_precondition("The output's place is taken by an input of the job ({}); move that away and "
                              "retry the job.",
                              item.place),
          fmt::format("The finished file stays in {}", in_work(item.name)));
    return rename_over(item);
  }

  // Whether what lies in the place, or what a link there leads to, is a file that the job reads.
  bool is_input(const FinishedFile& item, const struct stat& there) {
    if (!inputs_) inputs_ = ids_of_inputs(job_.spec(), rights_);
    if (inputs_->contains(id_of(there))) return true;
    const FoundFile led = S_ISLNK(there.st_mode) ? open_file(rights_, item.place) : FoundFile();
    return led.descriptor.is_open() && inputs_->contains(id_of(led.facts));
  }

  Status rename_over(const FinishedFile& item) {
    if (::renameat(folder_.get(), item.name.c_str(), folder_at(item), name_at(item).c_str()) == 0)
      return ok_status();
    return cannot(errno, item);
  }

  // Some network file systems know no rename that does not replace. A hard link does not replace either.
  Status link_or_claim(const FinishedFile& item) {
    if (::linkat(folder_.get(), item.name.c_str(), folder_at(item), name_at(item).c_str(), 0) == 0) {
      FAULT_POINT("publish.between_link_and_unlink");
      ::unlinkat(folder_.get(), item.name.c_str(), 0);
      return ok_status();
    }
    if (is_unknown(errno) || errno == EPERM || errno == EMLINK) return claim(item);
    return cannot(errno, item);
  }

  // Where there are no hard links, an empty file takes the place, which only one can make, and is replaced. A note made before says
  // whose it is, should the daemon end in between.
  Status claim(const FinishedFile& item) {
    const std::string note = fmt::format("{}-claim-{}", note_name(), &item - items_.data());
    const bool claimed = ::faccessat(folder_.get(), note.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    FileDescriptor mark(::openat(folder_.get(), note.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!mark.is_open()) return cannot(errno, item);
    RETURN_IF_ERROR(sync_folder(folder_.get(), path_));
    FAULT_POINT("publish.before_claim");
    FileDescriptor place(::openat(folder_at(item), name_at(item).c_str(),
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const int error = errno;
    if (!place.is_open() && !(error == EEXIST && claimed && is_empty(item))) {
      ::unlinkat(folder_.get(), note.c_str(), 0);
      return cannot(error, item);
    }
    FAULT_POINT("publish.between_claim_and_rename");
    const Status moved = rename_over(item);
    if (!moved.ok() && is_empty(item)) ::unlinkat(folder_at(item), name_at(item).c_str(), 0);
    return moved;
  }

  bool is_empty(const FinishedFile& item) const {
    struct stat facts {};
    return look_at_place(item, facts) && S_ISREG(facts.st_mode) && facts.st_size == 0;
  }

  Status sync_places() {
    for (const auto& [path, place] : places_) {
      FileDescriptor folder(::openat(place.descriptor.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!folder.is_open()) return file_error(errno, "The output's folder cannot be opened", path);
      RETURN_IF_ERROR(sync_folder(folder.get(), path));
    }
    return ok_status();
  }

  Status see(const FinishedFile& item) const {
    struct stat facts {};
    if (look_at_place(item, facts) && item.is(facts)) return ok_status();
    return data_loss(
        "The finished file was moved to its place ({}), and {} there now: somebody moved or replaced it. "
        "Retry the job to make it "
        "again.",
        item.place, facts.st_ino != 0 ? "another file is" : "no file is");
  }

  const v1::Job& job_;
  const std::string path_;
  const std::string_view secret_;
  const FileRights& rights_;
  FileDescriptor folder_;
  std::vector<FinishedFile> items_;
  std::map<std::string, FoundFile> places_;  // by the folder's path
  std::optional<std::set<FileId>> inputs_;   // once something is to be replaced
};

}  // namespace

Status publish_job(const v1::Job& job, std::string_view state_folder, std::string_view secret,
                   const FileRights& rights) {
  if (!writes_a_file(job.spec()) || options::files_of_job(job.spec()).outputs.empty()) return ok_status();
  return Publishing(job, work_folder_of(job, state_folder), secret, rights).run();
}

}  // namespace weft::queue
