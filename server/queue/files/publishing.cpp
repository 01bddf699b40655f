// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/publishing.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
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
#include "server/queue/files/job_files.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using channel::FileDescriptor;

// A finished file.
struct Item {
  std::string name{};   // in the work folder: "finished", "finished/out.0001.exr"
  std::string place{};  // where it goes
  int64_t bytes = 0;
  uint64_t inode = 0;
  int64_t changed_ns = 0;  // its contents, since 1970

  // File systems without inodes of their own make up others when they are mounted again; the time stays.
  bool is(const struct stat& facts) const {
    return S_ISREG(facts.st_mode) && facts.st_size == bytes &&
           (facts.st_ino == inode || changed_ns == ns_of(facts.st_mtim));
  }
  static int64_t ns_of(const timespec& time) {
    return int64_t(time.tv_sec) * 1'000'000'000 + int64_t(time.tv_nsec);
  }
};

// An encoder that writes nothing leaves nothing to publish.
bool writes_a_file(const v1::JobSpec& spec) {
  bool writes = true;
  const google::protobuf::Message& job = options::job_message(spec);
  for (const options::Option& option : options::options_of(job.GetDescriptor()))
    if (option.field().enum_type() == v1::Encoder_descriptor())
      writes = writes && options::format_value(job, option) != options::choice_name(v1::ENCODER_NULL);
  return writes;
}

Status sync(int descriptor, const std::string& path) {
  FAULT_POINT("publish.before_sync");
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOSYS)
    return file_error(errno, "What was moved there cannot be made durable", path);
  return ok_status();
}

// One job's way, once.
class Publishing {
 public:
  Publishing(const v1::Job& job, std::string work_folder, const FileRights& rights)
      : job_(job), path_(std::move(work_folder)), rights_(rights) {}

  Status run() {
    RETURN_IF_ERROR(open_folder());
    ASSIGN_OR_RETURN(bool noted, read_note());
    if (!noted) {
      RETURN_IF_ERROR(find_items());
      RETURN_IF_ERROR(write_note());
    }
    RETURN_IF_ERROR(open_places());
    for (const Item& item : items_) RETURN_IF_ERROR(move_item(item));
    RETURN_IF_ERROR(sync_places());
    for (const Item& item : items_) RETURN_IF_ERROR(see(item));
    return ok_status();
  }

 private:
  std::string in_work(const std::string& name) const { return path_ + "/" + name; }
  std::string note_name() const { return fmt::format("publishing-{}", job_.attempt()); }

  Status open_folder() {
    folder_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts {};
    if (folder_.is_open() && ::fstat(folder_.get(), &facts) == 0 && facts.st_uid == ::geteuid())
      return ok_status();
    // Who may write next to it may move it and put one of his own there. What lies in ours is trusted.
    if (folder_.is_open())
      return permission_denied(
          "The work folder with the finished file belongs to somebody else ({}, user id {}): it was "
          "exchanged. Put "
          "the daemon's back and retry the job.",
          path_, facts.st_uid);
    if (errno != ENOENT && errno != ENOTDIR)
      return file_error(errno, "The work folder cannot be opened", path_);
    return failed_precondition(
        "The work folder with the finished file is not where it was made ({}): a folder above it was moved "
        "or removed, or its "
        "file system is no longer mounted. Put it back and retry the job.",
        path_);
  }

  // The folders that the files go to. From here on they are what counts, wherever their paths lead by then.
  Status open_places() {
    for (const Item& item : items_) {
      const std::string folder = folder_of(item);
      if (places_.contains(folder)) continue;
      FoundFile place = open_target_folder(rights_, folder);
      if (!place.is_found()) {
        const Status status =
            place.error == EACCES
                ? permission_denied("The output's folder cannot be used ({}): it {}.", folder, place.why)
                : file_error(place.error, "The output's folder cannot be opened", folder);
        return with_context(status, fmt::format("The finished file stays in {}", in_work(item.name)));
      }
      places_.emplace(folder, std::move(place));
    }
    return ok_status();
  }

  static std::string folder_of(const Item& item) { return fs::path(item.place).parent_path().string(); }
  const FoundFile& place_of(const Item& item) const { return places_.at(folder_of(item)); }
  int folder_at(const Item& item) const { return place_of(item).descriptor.get(); }
  static std::string name_at(const Item& item) { return fs::path(item.place).filename().string(); }

  // Before it is seen there. It lies where nobody but us gets to it.
  Status give_to_submitter(const Item& item) const {
    const auto owner = owner_of_new(rights_, place_of(item).facts);
    if (!owner) return ok_status();
    FileDescriptor file(
        ::openat(folder_.get(), item.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.is_open() && ::fchown(file.get(), owner->user, owner->group) == 0) return ok_status();
    return file_error(errno, "The finished file cannot be given to whoever submitted the job",
                      in_work(item.name));
  }

  // Which files there are, by what the job writes. What goes with the output comes first: once the output is there, everything is.
  Status find_items() {
    const options::JobFiles paths = options::files_of_job(job_.spec());
    for (size_t i = paths.outputs.size(); i-- > 0;) {
      const options::JobFile& output = paths.outputs[i];
      if (output.is_sequence)
        RETURN_IF_ERROR(add_frames(output.finished_name, output.folder()));
      else
        RETURN_IF_ERROR(add_pieces(output));
    }
    return ok_status();
  }

  // The last piece first: once the output is there, everything is.
  Status add_pieces(const options::JobFile& output) {
    int pieces = 1;
    while (is_finished(options::piece_of(output, pieces + 1))) pieces++;
    for (int number = pieces; number > 0; number--) {
      const options::JobFile piece = options::piece_of(output, number);
      RETURN_IF_ERROR(add_item(piece.finished_name, piece.path));
    }
    return ok_status();
  }

  bool is_finished(const options::JobFile& file) const {
    return ::faccessat(folder_.get(), file.finished_name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  }

  Status add_item(const std::string& name, const std::string& place) {
    struct stat facts {};
    if (::fstatat(folder_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) return file_error(errno, "The finished file cannot be looked at", in_work(name));
      return data_loss("The finished file is gone from its work folder ({}).", in_work(name));
    }
    if (!S_ISREG(facts.st_mode)) return data_loss("The finished file is no file ({}).", in_work(name));
    items_.push_back({name, place, facts.st_size, facts.st_ino, Item::ns_of(facts.st_mtim)});
    return ok_status();
  }

  Status add_frames(const std::string& name, const std::string& folder) {
    std::error_code error;
    std::vector<std::string> frames;
    for (fs::directory_iterator entry(in_work(name), error), end; !error && entry != end;
         entry.increment(error))
      frames.push_back(entry->path().filename().string());
    if (error == std::errc::no_such_file_or_directory)
      return data_loss("The finished frames are gone from their work folder ({}).", path_);
    if (error)
      return unavailable("The finished frames cannot be listed ({}): {}.", in_work(name), error.message());
    std::sort(frames.begin(), frames.end());
    for (const std::string& frame : frames)
      RETURN_IF_ERROR(add_item(fmt::format("{}/{}", name, frame), fmt::format("{}/{}", folder, frame)));
    return ok_status();
  }

  // A line a file: size, inode, time, the length of the name, and the two names, which may hold anything.
  Status write_note() {
    std::string text;
    for (const Item& item : items_)
      text += fmt::format("{} {} {} {} {} {}{}\n", item.bytes, item.inode, item.changed_ns, item.name.size(),
                          item.place.size(), item.name, item.place);
    const std::string unfinished = note_name() + ".unfinished";
    FileDescriptor note(
        ::openat(folder_.get(), unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    for (size_t at = 0; note.is_open() && at < text.size();) {
      const ssize_t count = ::write(note.get(), text.data() + at, text.size() - at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0)
        return file_error(errno, "The note of what is finished cannot be written", in_work(unfinished));
      at += size_t(count);
    }
    if (!note.is_open())
      return file_error(errno, "The note of what is finished cannot be made", in_work(unfinished));
    RETURN_IF_ERROR(sync(note.get(), in_work(unfinished)));
    if (::renameat(folder_.get(), unfinished.c_str(), folder_.get(), note_name().c_str()) != 0)
      return file_error(errno, "The note of what is finished cannot be put in its place",
                        in_work(note_name()));
    return sync(folder_.get(), path_);
  }

  // False: there is none, nothing was moved yet.
  StatusOr<bool> read_note() {
    FileDescriptor note(::openat(folder_.get(), note_name().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!note.is_open() && errno == ENOENT) return false;
    std::string text;
    char piece[16 * 1024];
    ssize_t count = 0;
    while (note.is_open() && (count = ::read(note.get(), piece, sizeof(piece))) != 0) {
      if (count < 0 && errno != EINTR) break;
      if (count > 0) text.append(piece, size_t(count));
    }
    if (!note.is_open() || count < 0)
      return file_error(errno, "The note of what is finished cannot be read", in_work(note_name()));
    for (size_t at = 0; at < text.size();) {
      Item item;
      size_t name = 0, place = 0;
      int length = 0;
      if (std::sscanf(text.c_str() + at, "%" SCNd64 " %" SCNu64 " %" SCNd64 " %zu %zu %n", &item.bytes,
                      &item.inode, &item.changed_ns, &name, &place, &length) != 5 ||
          at + size_t(length) + name + place >= text.size())
        return data_loss("The note of what is finished is damaged ({}).", in_work(note_name()));
      at += size_t(length);
      item.name = text.substr(at, name);
      item.place = text.substr(at + name, place);
      at += name + place + 1;
      items_.push_back(std::move(item));
    }
    return true;
  }

  // A file that is no longer in the work folder was moved: see() tells.
  Status move_item(const Item& item) {
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
  bool is_linked(const Item& item, const struct stat& finished) const {
    struct stat facts {};
    return look_at_place(item, facts) && id_of(facts) == id_of(finished);
  }

  // False: nothing is there.
  bool look_at_place(const Item& item, struct stat& facts) const {
    return ::fstatat(folder_at(item), name_at(item).c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  }

  static bool is_unknown(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

  Status cannot(int error, const Item& item) const {
    return with_context(file_error(error, "The output cannot be put in its place", item.place),
                        fmt::format("The finished file stays in {}", in_work(item.name)));
  }

  // A socket or a device that came to be there since the submit is nobody's output.
  Status replace(const Item& item) {
    struct stat facts {};
    const bool is_there = look_at_place(item, facts);
    if (is_there && !S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode))
      return with_context(
          failed_precondition("The output's place is taken by {} ({}); remove it and retry the job.",
                              kind_of_file(facts.st_mode), item.place),
          fmt::format("The finished file stays in {}", in_work(item.name)));
    if (!may_replace(rights_, place_of(item), name_at(item))) return cannot(EPERM, item);
    return rename_over(item);
  }

  Status rename_over(const Item& item) {
    if (::renameat(folder_.get(), item.name.c_str(), folder_at(item), name_at(item).c_str()) == 0)
      return ok_status();
    return cannot(errno, item);
  }

  // Some network file systems know no rename that does not replace. A hard link does not replace either.
  Status link_or_claim(const Item& item) {
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
  Status claim(const Item& item) {
    const std::string note = fmt::format("{}-claim-{}", note_name(), &item - items_.data());
    const bool claimed = ::faccessat(folder_.get(), note.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    FileDescriptor mark(::openat(folder_.get(), note.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!mark.is_open()) return cannot(errno, item);
    RETURN_IF_ERROR(sync(folder_.get(), path_));
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

  bool is_empty(const Item& item) const {
    struct stat facts {};
    return look_at_place(item, facts) && S_ISREG(facts.st_mode) && facts.st_size == 0;
  }

  Status sync_places() {
    for (const auto& [path, place] : places_) {
      FileDescriptor folder(::openat(place.descriptor.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!folder.is_open()) return file_error(errno, "The output's folder cannot be opened", path);
      RETURN_IF_ERROR(sync(folder.get(), path));
    }
    return ok_status();
  }

  Status see(const Item& item) const {
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
  const FileRights& rights_;
  FileDescriptor folder_;
  std::vector<Item> items_;
  std::map<std::string, FoundFile> places_;  // by the folder's path
};

}  // namespace

Status publish_job(const v1::Job& job, std::string_view state_folder, const FileRights& rights) {
  if (!writes_a_file(job.spec()) || options::files_of_job(job.spec()).outputs.empty()) return ok_status();
  return Publishing(job, work_folder_of(job, state_folder), rights).run();
}

}  // namespace weft::queue
