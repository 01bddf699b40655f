// SPDX-License-Identifier: Apache-2.0
// What jobs say while they run, line by line, in an SQLite file of its own: a log is worth less than a job, so it is
// written in batches and not synced, and a damaged file is set aside instead of stopping the daemon.
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

inline constexpr int64_t kLogLinesPerJob = 10'000;  // the newest are kept
inline constexpr size_t kLogLineBytes = 4096;       // longer ones are cut
inline constexpr size_t kLogLinesPerBatch = 512;    // written at the latest when so many wait

// Not thread-safe.
class LogStore {
 public:
  static StatusOr<std::unique_ptr<LogStore>> open(const std::string& folder);

  // Takes a line; it is written with the next flush, which this does itself when many wait.
  void append(const std::string& job_id, int attempt, std::string_view level, std::string_view text,
              WallTime time);
  // Lines numbered `first` and up, in order, at most `count`.
  StatusOr<std::vector<v1::ReadJobLogResponse>> read(const std::string& job_id, int64_t first, int64_t count);
  // Forgets a job's lines, with the next flush.
  void remove(const std::string& job_id);
  // Errors are logged once in a row, and the lines that wait are dropped: they must not eat the memory.
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
  std::unordered_map<std::string, int64_t> next_lines_;  // of jobs that logged since the start
  bool failing_ = false;
};

}  // namespace weft::queue
