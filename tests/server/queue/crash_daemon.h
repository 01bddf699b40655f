// SPDX-License-Identifier: Apache-2.0
// A small daemon for crash tests: a queue on real files with workers that finish at once, and a
// diary of acknowledgements and work. The daemon runs in a child process that is killed. The diary
// remains, and the test checks it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/queue/queue.h"

namespace weft::queue {

// A file of lines. Each line is written at once.
class Diary {
 public:
  explicit Diary(std::string path) : path_(std::move(path)) {}
  void write(const std::string& line) const;
  std::vector<std::string> read() const;

 private:
  std::string path_;
};

// Workers that finish every attempt at once. FOLDER/work/ID is a job's finished file before it is
// published, FOLDER/out/ID after that.
class FileWorkers final : public Workers {
 public:
  FileWorkers(const std::string& folder, Queue& queue);

  Status start(const AttemptId& attempt, const JobRecord& record, std::string_view device) override;
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) override;
  void change(const AttemptId&, const v1::JobSettings&) override {}
  Status publish(const JobRecord& record, const CopyReport& report) override;
  Status discard(const v1::Job& job) override;

 private:
  std::string work_file(const std::string& id) const { return folder_ + "/work/" + id; }

  const std::string folder_;
  Diary diary_;
  Queue& queue_;
};

class CrashDaemon {
 public:
  // Opens the queue. An error fails the test (or ends the child process).
  explicit CrashDaemon(const std::string& folder);
  ~CrashDaemon() { queue_->stop(); }

  // Submits a few jobs and waits until all are final: finished, cancelled, paused and resumed, and
  // a repeated request.
  void run_scenario();
  // Submits jobs on several threads without end.
  [[noreturn]] void submit_for_ever();
  // Waits until no job waits or runs. Returns false if that takes too long.
  bool run_to_the_end();
  std::vector<v1::Job> jobs();

 private:
  StatusOr<v1::Job> submit(const std::string& name, const std::string& request_id);

  const std::string folder_;
  Diary diary_;
  SystemClock clock_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<FileWorkers> workers_;
};

// Returns the errors after a crash as sentences: acknowledged jobs that are missing, attempts
// started twice, and files published twice or not at all. All jobs must be final.
std::vector<std::string> audit_after_crash(const std::string& folder, const std::vector<v1::Job>& jobs);

}  // namespace weft::queue
