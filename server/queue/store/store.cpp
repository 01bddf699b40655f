// SPDX-License-Identifier: Apache-2.0
#include "server/queue/store/store.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "base/log.h"

namespace weft::queue {

namespace {

// Values of the column `publishing`: 0 no, 1 in progress, 2 published.
constexpr int64_t kPublished = 2;

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr mode_t kForeignOwner = 0077;

// Denies other users access to the state folder, since paths and logs of jobs are private.
Status close_to_others(const std::string& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0)
    return failed_precondition("The state folder ({}) cannot be used ({}); choose another.", folder,
                               std::strerror(errno));
  if (info.st_uid != ::geteuid())
    return failed_precondition(
        "The state folder ({}) belongs to another user (user id {}, the daemon's is {}); choose another, or "
        "give it to "
        "the daemon's user.",
        folder, info.st_uid, ::geteuid());
  if ((info.st_mode & kForeignOwner) != 0) {
    if (::chmod(folder.c_str(), kFolderMode) != 0)
      return failed_precondition(
          "The state folder ({}) is open to other users (mode {:04o}) and cannot be closed ({}).", folder,
          info.st_mode & 07777, std::strerror(errno));
    log_warning("The state folder ({}) was open to other users (mode {:04o}); it is closed now ({:04o}).",
                folder, info.st_mode & 07777, kFolderMode);
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || (info.st_mode & kForeignOwner) == 0)
      continue;
    if (::chmod(path.c_str(), info.st_mode & 07700) != 0)
      return failed_precondition(
          "A file of the state folder ({}) is open to other users and cannot be closed ({}).", path,
          std::strerror(errno));
  }
  return ok_status();
}

// Creates the file with a private mode. SQLite would create it with the mode of the umask, and its
// journal files receive the mode of this file.
void make_private_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
  if (file >= 0) ::close(file);
}

}  // namespace

StatusOr<std::unique_ptr<Store>> Store::open(const std::string& folder, Durability durability,
                                             Migrations steps) {
  const char* synchronous = durability == Durability::kPowerCut ? "FULL" : "OFF";
  const std::string path = folder + "/jobs.db";
  make_private_file(path);
  make_private_file(folder + "/logs.db");
  ASSIGN_OR_RETURN(Database db, open_store(path, steps, synchronous));
  std::unique_ptr<Store> store(new Store(std::move(db)));
  store->path_ = path;
  if (::stat(path.c_str(), &store->file_) != 0)
    return unavailable("The store ({}) cannot be looked at ({}).", path, std::strerror(errno));
  RETURN_IF_ERROR(store->prepare());
  return store;
}

Status Store::prepare() {
  ASSIGN_OR_RETURN(
      put_job_,
      db_.prepare("INSERT INTO jobs (id, state, revision, request_id, fingerprint, failures, deaths, "
                  "publishing, cleanup, body, keeps_work, units_finished, submitter, real_paths) "
                  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                  "ON CONFLICT (id) DO UPDATE SET state = excluded.state, revision = excluded.revision, "
                  "failures = excluded.failures, deaths = excluded.deaths, "
                  "publishing = excluded.publishing, cleanup = excluded.cleanup, body = excluded.body, "
                  "keeps_work = excluded.keeps_work, units_finished = excluded.units_finished"));
  ASSIGN_OR_RETURN(remove_job_, db_.prepare("DELETE FROM jobs WHERE id = ?"));
  ASSIGN_OR_RETURN(put_meta_, db_.prepare("UPDATE meta SET value = ? WHERE key = ?"));
  ASSIGN_OR_RETURN(clear_drained_, db_.prepare("DELETE FROM drained_devices"));
  ASSIGN_OR_RETURN(put_drained_, db_.prepare("INSERT INTO drained_devices VALUES (?)"));
  RETURN_IF_ERROR(totals_.prepare(db_));
  return speeds_.prepare(db_);
}

StatusOr<StoreContent> Store::load() {
  StoreContent content;
  ASSIGN_OR_RETURN(content.store_id, db_.query_text("SELECT value FROM meta WHERE key = 'store_id'"));
  ASSIGN_OR_RETURN(content.store_secret, db_.query_text("SELECT value FROM meta WHERE key = 'secret'"));
  ASSIGN_OR_RETURN(content.revision, db_.query_integer("SELECT value FROM meta WHERE key = 'revision'"));
  ASSIGN_OR_RETURN(content.last_id, db_.query_text("SELECT value FROM meta WHERE key = 'last_id'"));
  ASSIGN_OR_RETURN(const int64_t paused, db_.query_integer("SELECT value FROM meta WHERE key = 'paused'"));
  content.is_paused = paused != 0;
  ASSIGN_OR_RETURN(Statement drained, db_.prepare("SELECT id FROM drained_devices"));
  while (true) {
    ASSIGN_OR_RETURN(const bool row, drained.step());
    if (!row) break;
    content.drained_devices.insert(drained.text(0));
  }
  ASSIGN_OR_RETURN(
      Statement jobs,
      db_.prepare("SELECT id, fingerprint, failures, deaths, publishing, "
                  "cleanup, body, keeps_work, units_finished, submitter, real_paths FROM jobs ORDER BY id"));
  while (true) {
    ASSIGN_OR_RETURN(const bool row, jobs.step());
    if (!row) break;
    JobRecord& record = content.jobs.emplace_back();
    record.fingerprint = uint64_t(jobs.integer(1));
    record.failures = int(jobs.integer(2));
    record.deaths = int(jobs.integer(3));
    record.publishing = jobs.integer(4) != 0;
    record.published = jobs.integer(4) == kPublished;
    record.cleanup = jobs.integer(5) != 0;
    record.keeps_work = jobs.integer(7) != 0;
    if (!record.job.ParseFromString(jobs.text(6)) || !record.real_paths.ParseFromString(jobs.text(10)))
      return data_loss("The job ({}) in the store cannot be read; put a copy of the store back in its place.",
                       jobs.text(0));
    record.units_finished = jobs.integer(8);
    if (!record.submitter.ParseFromString(jobs.text(9)))
      return data_loss(
          "Who submitted a job ({}) cannot be read in the store; put a copy of the store back in its place.",
          jobs.text(0));
    show_finished(record);
  }
  ASSIGN_OR_RETURN(content.speeds, speeds_.load(db_));
  return content;
}

Status Store::write_job(const JobRecord& record) {
  const v1::Job& job = record.job;
  put_job_.bind(1, job.id()).bind(2, int64_t(job.state())).bind(3, job.revision());
  if (job.request_id().empty())
    put_job_.bind_null(4);
  else
    put_job_.bind(4, job.request_id());
  put_job_.bind(5, int64_t(record.fingerprint))
      .bind(6, int64_t(record.failures))
      .bind(7, int64_t(record.deaths));
  put_job_.bind(8, record.published ? kPublished : int64_t(record.publishing))
      .bind(9, int64_t(record.cleanup))
      .bind(11, int64_t(record.keeps_work))
      .bind(12, record.units_finished)
      .bind_blob(13, record.submitter.SerializeAsString())
      .bind_blob(14, record.real_paths.SerializeAsString());
  if (job.has_progress()) {
    v1::Job durable = job;
    durable.clear_progress();
    return put_job_.bind_blob(10, durable.SerializeAsString()).run();
  }
  return put_job_.bind_blob(10, job.SerializeAsString()).run();
}

Status Store::write(const StoreChange& change) {
  for (const RecordPtr& record : change.jobs) {
    RETURN_IF_ERROR(write_job(*record));
    FAULT_POINT("store.commit.between_rows");
  }
  for (const std::string& id : change.removed) RETURN_IF_ERROR(remove_job_.bind(1, id).run());
  RETURN_IF_ERROR(totals_.add(change.totals));
  RETURN_IF_ERROR(speeds_.put(change.speeds, change.revision));
  RETURN_IF_ERROR(put_meta_.bind(1, change.revision).bind(2, "revision").run());
  RETURN_IF_ERROR(put_meta_.bind(1, change.last_id).bind(2, "last_id").run());
  if (change.is_paused)
    RETURN_IF_ERROR(put_meta_.bind(1, int64_t(*change.is_paused)).bind(2, "paused").run());
  if (change.drained_devices == nullptr) return ok_status();
  RETURN_IF_ERROR(clear_drained_.run());
  for (const std::string& id : *change.drained_devices) RETURN_IF_ERROR(put_drained_.bind(1, id).run());
  return ok_status();
}

Status Store::commit(const StoreChange& change) {
  FAULT_POINT("store.commit.before");
  RETURN_IF_ERROR(db_.transaction([&] { return write(change); }));
  FAULT_POINT("store.commit.after");
  return check_is_there();
}

// Data written to an unlinked file would be lost when the daemon ends.
Status Store::check_is_there() const {
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0 && info.st_dev == file_.st_dev && info.st_ino == file_.st_ino)
    return ok_status();
  return data_loss(
      "The file of the store ({}) is gone, or another one: somebody removed or replaced the state folder. "
      "Nothing more is "
      "taken; put it back, or start the daemon again to begin with what is there.",
      path_);
}

StatusOr<StateLock> StateLock::take(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::create_directories(folder, error))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  RETURN_IF_ERROR(close_to_others(folder));
  const std::string path = folder + "/weftd.lock";
  StateLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.file_ < 0)
    return failed_precondition(
        "The state folder ({}) cannot be written ({}); choose another, or look at its owner.", folder,
        std::strerror(errno));
  char pid[32] = {};
  if (flock(lock.file_, LOCK_EX | LOCK_NB) != 0) {
    const ssize_t length = pread(lock.file_, pid, sizeof(pid) - 1, 0);
    return aborted(
        "Another daemon (pid {}) has the state folder ({}); stop that one, or give this one a folder of its "
        "own.",
        length > 0 ? std::string(pid, size_t(length)) : "unknown", folder);
  }
  const std::string own = std::to_string(getpid());
  if (ftruncate(lock.file_, 0) != 0 || pwrite(lock.file_, own.data(), own.size(), 0) != ssize_t(own.size()))
    return unavailable("The lock file ({}) cannot be written ({}); look at its disk.", path,
                       std::strerror(errno));
  return lock;
}

StateLock::~StateLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace weft::queue
