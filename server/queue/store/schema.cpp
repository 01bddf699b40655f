// SPDX-License-Identifier: Apache-2.0
#include "server/queue/store/schema.h"

#include <cstdio>

#include "base/fault_point.h"
#include "base/log.h"

namespace weft::queue {
namespace {

// "weft" in ASCII, in the file's header. Distinguishes a store of Weft from other SQLite files.
constexpr int64_t kApplicationId = 0x77656674;

// The version that the first migration creates: a job consists of source, filters and sink. Jobs of
// older versions are not supported.
constexpr int64_t kFirstVersion = 6;

constexpr const char* kMigrations[] = {
    // Version 6. `body` is a weft.v1.Job; fields that the store searches, and fields of the queue
    // alone, have columns. `totals`: work of jobs by day (totals.h). `speeds`: measured speeds of
    // devices (speed_table.h).
    R"(
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    INSERT INTO meta VALUES ('store_id', lower(hex(randomblob(8)))), ('revision', 0), ('last_id', '');
    CREATE TABLE jobs (
      id TEXT PRIMARY KEY,
      state INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      request_id TEXT UNIQUE,
      fingerprint INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      deaths INTEGER NOT NULL,
      publishing INTEGER NOT NULL,
      cleanup INTEGER NOT NULL,
      keeps_work INTEGER NOT NULL,
      units_finished INTEGER NOT NULL,
      body BLOB NOT NULL
    );
    CREATE TABLE drained_devices (id TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE totals (
      day INTEGER NOT NULL,
      owner TEXT NOT NULL,
      kind TEXT NOT NULL,
      state INTEGER NOT NULL,
      reason TEXT NOT NULL,
      example TEXT NOT NULL,
      jobs INTEGER NOT NULL,
      units INTEGER NOT NULL,
      gpu_ns INTEGER NOT NULL,
      PRIMARY KEY (day, owner, kind, state, reason)
    ) WITHOUT ROWID;
    CREATE TABLE speeds (
      device TEXT NOT NULL,
      key TEXT NOT NULL,
      is_pace INTEGER NOT NULL,
      unit_ns INTEGER NOT NULL,
      limit_share INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY (device, key, is_pace)
    ) WITHOUT ROWID;
    )",
    // Version 7. `submitter` is a weft.internal.v1.Credentials. Older jobs have none: their files
    // are opened with the daemon's rights.
    "ALTER TABLE jobs ADD COLUMN submitter BLOB NOT NULL DEFAULT x''",
    // Version 8. `secret`: the key that binds work folders (files/work_binding.h).
    "INSERT INTO meta VALUES ('secret', lower(hex(randomblob(32))))",
    // Version 9. `real_paths` is a weft.v1.JobSpec. Older jobs have none: conflicts are detected by
    // their paths as written.
    "ALTER TABLE jobs ADD COLUMN real_paths BLOB NOT NULL DEFAULT x''",
    // Version 10. `paused`: 1 if the queue is paused.
    "INSERT INTO meta VALUES ('paused', 0)",
};

Status damaged(const std::string& path, std::string_view detail) {
  return data_loss(
      "The job store ({0}) is damaged ({1}). Nothing was changed. Put a copy back in its place, or save what "
      "can be "
      "read with \"sqlite3 {0} .recover\", or move the file away to begin with an empty queue.",
      path, detail);
}

Status check_file(Database& db, const std::string& path) {
  const StatusOr<std::string> check = db.query_text("PRAGMA integrity_check(1)");
  if (!check.ok()) return damaged(path, message_of(check.status()));
  if (*check != "ok") return damaged(path, *check);
  return ok_status();
}

// Checks that the file is empty or a store of Weft.
Status check_owner(Database& db, const std::string& path) {
  ASSIGN_OR_RETURN(const int64_t application, db.query_integer("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t tables, db.query_integer("SELECT count(*) FROM sqlite_master"));
  if (application == kApplicationId || (application == 0 && tables == 0)) return ok_status();
  return failed_precondition("The file ({}) is a database of another program; choose another state folder.",
                             path);
}

Status keep_copy(Database& db, const std::string& path, int64_t version) {
  const std::string copy = fmt::format("{}.version-{}", path, version);
  std::remove(copy.c_str());  // copy of an interrupted attempt
  ASSIGN_OR_RETURN(Statement vacuum, db.prepare("VACUUM INTO ?"));
  RETURN_IF_ERROR(vacuum.bind(1, copy).run());
  log_info("The store is brought from version {} to the newest; a copy is kept as {}.", version, copy);
  return ok_status();
}

Status migrate(Database& db, const std::string& path, Migrations steps) {
  ASSIGN_OR_RETURN(const int64_t version, db.query_integer("PRAGMA user_version"));
  const int64_t newest = kFirstVersion + int64_t(steps.size()) - 1;
  if (version > newest)
    return failed_precondition(
        "The job store ({}) was written by a newer version of this program (store version {}, this one knows "
        "{}); "
        "install that version again.",
        path, version, newest);
  if (version == newest) return ok_status();
  if (version > 0 && version < kFirstVersion)
    return failed_precondition(
        "The job store ({0}) is of a version of this program whose jobs this one does not understand (store "
        "version {1}, "
        "at least {2} is wanted). Nothing was changed. Let that version finish its jobs, then move the file "
        "away to begin "
        "with an empty queue: mv {0} {0}.version-{1}",
        path, version, kFirstVersion);
  if (version > 0) RETURN_IF_ERROR(keep_copy(db, path, version));
  return db.transaction([&]() -> Status {
    for (const char* step : steps.subspan(version > 0 ? size_t(version - kFirstVersion + 1) : 0)) {
      FAULT_POINT("store.migrate.step");
      RETURN_IF_ERROR(db.execute(step));
    }
    RETURN_IF_ERROR(db.execute(fmt::format("PRAGMA application_id = {}", kApplicationId)));
    return db.execute(fmt::format("PRAGMA user_version = {}", newest));
  });
}

}  // namespace

Migrations migrations() { return kMigrations; }

StatusOr<Database> open_store(const std::string& path, Migrations steps, std::string_view synchronous) {
  ASSIGN_OR_RETURN(Database db, Database::open(path));
  RETURN_IF_ERROR(check_file(db, path));
  RETURN_IF_ERROR(check_owner(db, path));
  RETURN_IF_ERROR(db.execute(fmt::format("PRAGMA synchronous = {}", synchronous)));
  RETURN_IF_ERROR(db.query_text("PRAGMA journal_mode = WAL").status());
  RETURN_IF_ERROR(migrate(db, path, steps));
  return db;
}

}  // namespace weft::queue
