// SPDX-License-Identifier: Apache-2.0
#include "server/queue/store/log_store.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/log.h"
#include "server/queue/records/record.h"

namespace weft::queue {
namespace {

constexpr int64_t kLogSchemaVersion = 1;
constexpr const char* kLogSchema = R"(
  CREATE TABLE IF NOT EXISTS lines (
    job_id TEXT NOT NULL,
    line INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (job_id, line)
  ) WITHOUT ROWID;
)";

// Cuts before the limit at the beginning of a UTF-8 character, since text fields of Protocol
// Buffers must be valid UTF-8.
std::string_view cut(std::string_view text) {
  if (text.size() <= kLogLineBytes) return text;
  size_t length = kLogLineBytes;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) length--;
  return text.substr(0, length);
}

}  // namespace

StatusOr<std::unique_ptr<LogStore>> LogStore::open_file(const std::string& path) {
  ASSIGN_OR_RETURN(Database db, Database::open(path));
  ASSIGN_OR_RETURN(const std::string check, db.query_text("PRAGMA quick_check(1)"));
  if (check != "ok") return data_loss("The log store ({}) is damaged ({}).", path, check);
  ASSIGN_OR_RETURN(const int64_t version, db.query_integer("PRAGMA user_version"));
  if (version > kLogSchemaVersion)
    return failed_precondition("The log store ({}) was written by a newer version of this program.", path);
  RETURN_IF_ERROR(db.execute("PRAGMA synchronous = OFF"));
  RETURN_IF_ERROR(db.query_text("PRAGMA journal_mode = WAL").status());
  RETURN_IF_ERROR(db.execute(kLogSchema));
  RETURN_IF_ERROR(db.execute(fmt::format("PRAGMA user_version = {}", kLogSchemaVersion)));
  std::unique_ptr<LogStore> store(new LogStore(std::move(db)));
  ASSIGN_OR_RETURN(store->insert_, store->db_.prepare("INSERT OR REPLACE INTO lines VALUES (?, ?, ?)"));
  ASSIGN_OR_RETURN(store->trim_, store->db_.prepare("DELETE FROM lines WHERE job_id = ? AND line < ?"));
  ASSIGN_OR_RETURN(store->remove_, store->db_.prepare("DELETE FROM lines WHERE job_id = ?"));
  ASSIGN_OR_RETURN(store->last_, store->db_.prepare("SELECT max(line) FROM lines WHERE job_id = ?"));
  ASSIGN_OR_RETURN(
      store->select_,
      store->db_.prepare("SELECT body FROM lines WHERE job_id = ? AND line >= ? ORDER BY line LIMIT ?"));
  return store;
}

StatusOr<std::unique_ptr<LogStore>> LogStore::open(const std::string& folder) {
  const std::string path = folder + "/logs.db";
  StatusOr<std::unique_ptr<LogStore>> store = open_file(path);
  if (store.ok() || store.status().code() != StatusCode::kDataLoss) return store;
  log_warning("{} It is set aside as {}.damaged; logs begin anew.", message_of(store.status()), path);
  std::error_code error;
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::rename(path + suffix, path + ".damaged" + suffix, error);
  return open_file(path);
}

int64_t LogStore::next_line(const std::string& job_id) {
  const auto found = next_lines_.find(job_id);
  if (found != next_lines_.end()) return found->second++;
  int64_t next = 0;
  const StatusOr<bool> row = last_.bind(1, job_id).step();
  if (row.ok() && *row) {
    // max() of no rows is NULL, which text() returns as an empty string.
    if (!last_.text(0).empty()) next = last_.integer(0) + 1;
    last_.reset();
  }
  next_lines_[job_id] = next + 1;
  return next;
}

void LogStore::append(const std::string& job_id, int attempt, std::string_view level, std::string_view text,
                      WallTime time) {
  Line& line = waiting_.emplace_back();
  line.job_id = job_id;
  line.line.set_line(next_line(job_id));
  line.line.set_attempt(attempt);
  line.line.set_level(std::string(level));
  line.line.set_text(std::string(cut(text)));
  *line.line.mutable_time() = to_timestamp(time);
  if (waiting_.size() >= kLogLinesPerBatch) flush();
}

Status LogStore::write() {
  std::set<std::string> to_trim;
  for (const Line& line : waiting_) {
    RETURN_IF_ERROR(insert_.bind(1, line.job_id)
                        .bind(2, line.line.line())
                        .bind_blob(3, line.line.SerializeAsString())
                        .run());
    if (line.line.line() >= kLogLinesPerJob) to_trim.insert(line.job_id);
  }
  for (const std::string& id : to_trim)
    RETURN_IF_ERROR(trim_.bind(1, id).bind(2, next_lines_[id] - kLogLinesPerJob).run());
  for (const std::string& id : removed_) RETURN_IF_ERROR(remove_.bind(1, id).run());
  return ok_status();
}

void LogStore::remove(const std::string& job_id) {
  next_lines_.erase(job_id);
  std::erase_if(waiting_, [&](const Line& line) { return line.job_id == job_id; });
  removed_.push_back(job_id);
}

void LogStore::flush() {
  if (waiting_.empty() && removed_.empty()) return;
  const Status status = db_.transaction([&] { return write(); });
  if (!status.ok() && !failing_)
    log_warning("{} lines of jobs' logs are lost: {}", waiting_.size(), message_of(status));
  failing_ = !status.ok();
  waiting_.clear();
  removed_.clear();
}

StatusOr<std::vector<v1::ReadJobLogResponse>> LogStore::read(const std::string& job_id, int64_t first,
                                                             int64_t count) {
  flush();
  std::vector<v1::ReadJobLogResponse> lines;
  select_.bind(1, job_id).bind(2, first).bind(3, count);
  while (true) {
    ASSIGN_OR_RETURN(const bool row, select_.step());
    if (!row) return lines;
    if (!lines.emplace_back().ParseFromString(select_.text(0))) {
      select_.reset();
      return data_loss("The log of the job ({}) cannot be read.", job_id);
    }
  }
}

}  // namespace weft::queue
