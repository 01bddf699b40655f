// SPDX-License-Identifier: Apache-2.0
// Stores the log lines of jobs, in a separate SQLite file. A log is less important than a job:
// lines are written in batches without sync, and a damaged file is renamed instead of stopping the
// daemon.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/store/sqlite.h"
#include "weft/v1/job_service.pb.h"

namespace weft::queue {

inline constexpr int64_t kLogLinesPerJob = 10'000;  // the newest lines are kept
inline constexpr size_t kLogLineBytes = 4096;       // longer lines are cut
// limit of waiting lines; append() writes them then
inline constexpr size_t kLogLinesPerBatch = 512;

// Not thread-safe.
class LogStore {
 public:
  static StatusOr<std::unique_ptr<LogStore>> open(const std::string& folder);

  // Adds a line. It is written with the next flush(); append() calls flush() if kLogLinesPerBatch
  // lines wait.
  void append(const std::string& job_id, int attempt, std::string_view level, std::string_view text,
              WallTime time);
  // Returns the lines from number `first` on, in order, at most `count`.
  StatusOr<std::vector<v1::ReadJobLogResponse>> read(const std::string& job_id, int64_t first, int64_t count);
  // Deletes a job's lines with the next flush.
  void remove(const std::string& job_id);
  // Writes waiting lines. The first of consecutive errors is logged. After an error the waiting
  // lines are dropped, to limit the memory.
  void flush();

 private:
  struct Line {
    std::string job_id;
    v1::ReadJobLogResponse line;
  };
  explicit LogStore(Database db) : db_(std::move(db)) {}
  static StatusOr<std::unique_ptr<LogStore>> open_file(const std::string& path);
  Status write();
  int64_t next_line(const std::string& job_id);

  Database db_;
  Statement insert_;
  Statement trim_;
  Statement last_;
  Statement select_;
  Statement remove_;
  std::vector<Line> waiting_;
  std::vector<std::string> removed_;
  // by id, for jobs that logged since the start
  std::unordered_map<std::string, int64_t> next_lines_;
  bool failing_ = false;
};

}  // namespace weft::queue
